#include "kernels/registry/load_library.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "kernels/registry/dtype_constraints.hpp"
#include "schema/yaml.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> kernel_names(const KernelLibrary& library) {
  std::vector<std::string> names;
  for (const OperatorEntry& entry : library.operators)
    for (const Kernel& kernel : entry.kernels) names.push_back(kernel.name);
  return names;
}

// Adds the names of all kernels, those of wrong entries too.
void add_kernel_names(const Source& source, std::vector<std::string>& names) {
  json::Memory memory;
  Diagnostics ignored;
  for (const json::Value& entry : parse_yaml(source, memory, ignored).items) {
    const json::Value* const kernels = entry.find("kernels");
    if (kernels == nullptr) continue;
    for (const json::Value& kernel : kernels->items) {
      if (const json::Value* const name = kernel.find("kernel_name"))
        names.emplace_back(name->text);
    }
  }
}

void add_kernel_names_in(const fs::path& folder, std::vector<std::string>& names) {
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder, error)) {
    if (!is_yaml(file.path().native()) || !file.is_regular_file(error)) continue;
    const Source source{file.path().string(), read_if_readable(file.path())};
    if (yaml_kind(source) == "kernels") add_kernel_names(source, names);
  }
}

void check_names(const Sidecar& sidecar, const std::vector<std::string>& names,
                 const std::string& what, Diagnostics& out) {
  for (const auto& [name, settings] : sidecar.kernels) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      out.error(settings.where, fmt::format("{} kernel {}", what, name), did_you_mean(name, names));
  }
}

}  // namespace

KernelLibrary load_kernel_library(const Source& source, const ops::Catalogue* catalogue,
                                  Diagnostics& diagnostics, Level without_catalogue) {
  KernelLibrary library = read_kernel_library(source, catalogue, diagnostics, without_catalogue);
  const auto beside = find_sidecar(source.path);
  if (!beside) return library;
  const Sidecar sidecar = read_sidecar_of(source.path, diagnostics);
  // Kernels of PyTorch's operators are not named here without its catalogue, so no names are
  // checked.
  if (catalogue == nullptr) return with_sidecar(std::move(library), sidecar);
  std::vector<std::string> names = kernel_names(library);
  if (beside->stem() == "kbench") {
    add_kernel_names_in(fs::absolute(*beside).parent_path(), names);
    check_names(sidecar, names, "no kernel yaml of this folder has a", diagnostics);
  } else {
    add_kernel_names(source, names);
    check_names(sidecar, names, source.path + " has no", diagnostics);
  }
  return with_sidecar(std::move(library), sidecar);
}

namespace {

bool begins_as_list(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view words = trim(line);
    if (words.empty() || words.starts_with('#') || words.starts_with('%') || words == "---")
      continue;
    return words.starts_with('[') || words == "-" || words.starts_with("- ");
  }
  return false;
}

bool has_any(const json::Value& map, std::initializer_list<std::string_view> keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](std::string_view key) { return map.find(key) != nullptr; });
}

}  // namespace

std::string_view yaml_kind(const Source& source) {
  if (looks_like_dtype_constraints(source.text)) return "constraints";
  json::Memory memory;
  Diagnostics problems;
  const json::Value root = parse_yaml(source, memory, problems);
  if (problems.errors() > 0) return begins_as_list(source.text) ? "kernels" : "";
  if (root.kind == json::Kind::array) return "kernels";
  // Entry of a library whose dash is missing: no selection.
  if (has_any(root, {"op", "func"})) return "kernels";
  return has_any(root, {"operators", "include_all_operators", "et_kernel_metadata"}) ? "selection"
                                                                                     : "";
}

bool is_yaml(std::string_view path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

}  // namespace kbench
