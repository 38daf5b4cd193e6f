#include "validate/kernels.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <tuple>

#include "base/file.hpp"
#include "base/words.hpp"
#include "operators/catalogue.hpp"
#include "registry/dtype_constraints.hpp"
#include "registry/load_library.hpp"
#include "registry/registry.hpp"
#include "registry/selection.hpp"
#include "registry/sidecar.hpp"
#include "schema/scan.hpp"
#include "schema/yaml.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Without PyTorch's schemas its operators cannot be checked, which is no mistake of the file.
KernelLibrary read_library(const Source& source, Diagnostics& out) {
  return load_kernel_library(source, ops::installed_catalogue(), out, Level::warning);
}

struct Row {
  std::string_view kind;
  void (*check)(const Source& source, Diagnostics& out);
};

constexpr Row table[] = {
    {"kernels", [](const Source& source, Diagnostics& out) { read_library(source, out); }},
    {"constraints",
     [](const Source& source, Diagnostics& out) {
       read_dtype_constraints(source, ops::installed_catalogue(), out);
     }},
    {"selection", [](const Source& source, Diagnostics& out) { read_selection(source, out); }},
    {"sidecar", [](const Source& source, Diagnostics& out) { read_sidecar(source, out); }},
};

// A sidecar is read with each library beside it, too: what is wrong in it is said once, and of
// itself where it is among the files.
void drop_repeated(ValidationReport& report) {
  std::set<std::tuple<std::string, int, int, std::string>> said;
  const auto is_new = [&said](const Diagnostic& one) {
    return said.emplace(one.where.file, one.where.line, one.where.column, one.message).second;
  };
  for (const FileReport& file : report.files) {
    for (const Diagnostic& one : file.messages.items()) {
      if (one.where.file == file.path) is_new(one);
    }
  }
  for (FileReport& file : report.files) {
    if (file.kind != "kernels") continue;
    Diagnostics kept;
    for (const Diagnostic& one : file.messages.items()) {
      if (one.where.file == file.path || is_new(one)) kept.add(one);
    }
    file.messages = std::move(kept);
  }
}

bool is_yaml(std::string_view path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

}  // namespace

std::vector<std::string> kernel_kinds() {
  std::vector<std::string> kinds;
  for (const Row& row : table) kinds.emplace_back(row.kind);
  return kinds;
}

bool is_kernel_kind(std::string_view kind) {
  return std::any_of(std::begin(table), std::end(table),
                     [&](const Row& row) { return row.kind == kind; });
}

std::string_view guess_kernel_kind(const Source& source) {
  if (is_sidecar(source.path)) return "sidecar";
  if (!is_yaml(source.path)) return "";
  json::Memory memory;
  Diagnostics ignored;
  if (looks_like_dtype_constraints(source.text)) return "constraints";
  return parse_yaml(source, memory, ignored).is_object() ? "selection" : "kernels";
}

void check_kernel_file(const Source& source, std::string_view kind, Diagnostics& out) {
  for (const Row& row : table) {
    if (row.kind == kind) row.check(source, out);
  }
}

void validate_kernel_files_below(const fs::path& folder, ValidationReport& report) {
  for (const std::string& name : files_below(folder, "")) {
    if (!is_yaml(name) && !is_sidecar(name)) continue;
    const fs::path path = folder / name;
    const Source source{path.string(), read_if_readable(path)};
    if (!is_sidecar(name) && !looks_like_kernel_yaml(source.text)) continue;
    FileReport& file = report.files.emplace_back(FileReport{path.string(), "", {}});
    file.kind = guess_kernel_kind(source);
    check_kernel_file(source, file.kind, file.messages);
  }
}

void check_libraries_together(ValidationReport& report) {
  Registry registry;
  std::vector<KernelLibrary> libraries;
  for (FileReport& file : report.files) {
    if (file.kind != "kernels" || !fs::is_regular_file(file.path)) continue;
    Diagnostics said;  // each file's own mistakes are reported already
    libraries.push_back(read_library({file.path, read_file(file.path)}, said));
    for (Implementation& one : implementations_of(libraries.back()))
      registry.add(std::move(one), false, file.messages);
  }
  Diagnostics schemas;
  check_schemas(libraries, schemas);
  for (FileReport& file : report.files) {
    for (const Diagnostic& one : schemas.items()) {
      if (one.where.file == file.path) file.messages.add(one);
    }
  }
  drop_repeated(report);
}

}  // namespace kbench
