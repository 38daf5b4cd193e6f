#include "schema/read_source.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.hpp"
#include "base/text.hpp"
#include "schema/check.hpp"

namespace kbench {
namespace {

bool report_no_file(ReadContext& context, const json::Value& path, const JsonPath* parent) {
  namespace fs = std::filesystem;
  std::vector<std::string> beside;
  std::error_code error;
  const fs::path folder = fs::path(path.text).parent_path();
  for (const auto& entry : fs::directory_iterator(context.options.directory / folder, error)) {
    if (entry.is_regular_file(error)) beside.push_back(folder / entry.path().filename());
  }
  const JsonPath field{parent, "path"};
  const std::string meant = did_you_mean(path.text, beside);
  context.fail(path, &field, fmt::format("there is no file \"{}\" beside the JSON", path.text),
               meant.empty() ? "put it there, or its text under \"content\"" : meant);
  return true;
}

}  // namespace

bool fill_source(ReadContext& context, const json::Value& value, const JsonPath* parent,
                 SourceFile& source) {
  const json::Value* path = value.find("path");
  if (context.options.directory.empty() || value.find("content") != nullptr || path == nullptr ||
      !path->is_string()) {
    return false;
  }
  SourceFile probe;
  probe.path = path->text;
  if (!check(probe).empty()) return false;
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path file = fs::canonical(context.options.directory / path->text, error);
  if (error) return value.members.size() == 1 && report_no_file(context, *path, parent);
  const fs::path inside = file.lexically_relative(fs::canonical(context.options.directory, error));
  if (*inside.begin() == ".." || !fs::is_regular_file(file, error)) {
    const JsonPath path_path{parent, "path"};
    context.fail(*path, &path_path,
                 fmt::format("source file '{}' is no file below the solution", path->text),
                 "links may not lead elsewhere");
    return true;
  }
  source.content = read_file(file);
  return true;
}

}  // namespace kbench
