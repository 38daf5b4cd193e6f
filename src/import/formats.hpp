// The formats that `kbench import` reads. What reads each is in Python: python/kbench/importers. To
// add one: its module there, a row in its __main__.py, and one in formats.cpp.
#pragma once

#include <span>
#include <string_view>

namespace kbench {

struct ImportFormat {
  std::string_view name;
  std::string_view doc;
  std::span<const std::string_view> extensions;  // of the files it is made of
};

std::span<const ImportFormat> import_formats();
const ImportFormat* find_import_format(std::string_view name);

}  // namespace kbench
