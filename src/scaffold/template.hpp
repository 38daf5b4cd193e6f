// Texts of share/kbench/templates, with what they leave open filled in.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kbench {

// A file that kbench new makes, before it is written.
struct NewFile {
  std::string path;  // below the trace set's root
  std::string text;
};

using TemplateValues = std::vector<std::pair<std::string_view, std::string>>;

// The text of <name>.in with a value in the place of each "{{name}}". A value that ends a line, or
// is "", takes the end of its placeholder's line with it. Throws std::runtime_error where a name
// has no value, std::system_error where there is no such template.
std::string filled(const std::string& name, const TemplateValues& values = {});

}  // namespace kbench
