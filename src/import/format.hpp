// The formats that `kbench import` reads. To add one: its file, its declaration, its row in
// formats.cpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "import/imported.hpp"

namespace kbench {

struct ImportFormat {
  std::string_view name;
  std::string_view doc;
  std::span<const std::string_view> extensions;  // of the files it is made of
  // Texts → records and notes. Every object that is not carried over is an error and counted.
  Imported (*read)(std::vector<ForeignFile> files, const KnownRecords& known);
};

std::span<const ImportFormat> import_formats();
const ImportFormat* find_import_format(std::string_view name);

Imported read_sol_execbench(std::vector<ForeignFile> files, const KnownRecords& known);
Imported read_fi_trace(std::vector<ForeignFile> files, const KnownRecords& known);
Imported read_gpu_mode(std::vector<ForeignFile> files, const KnownRecords& known);
Imported read_kernelbench(std::vector<ForeignFile> files, const KnownRecords& known);
Imported read_flashinfer_2025(std::vector<ForeignFile> files, const KnownRecords& known);

}  // namespace kbench
