#include "cli/kernels/selection_check.hpp"

#include <fmt/format.h>

#include "registry/meta_text.hpp"
#include "registry/scalar_type.hpp"

namespace kbench {
namespace {

// "v1/6;", as the selection has it for Float.
bool is_dtype_key(std::string_view word) {
  std::string why;
  const auto key = parse_key(word, why);
  return key && key->size() == 1 && key->front().scalar_type &&
         find_scalar_type(*key->front().scalar_type) != nullptr;
}

// Where a word stands in what was read; of a selection that no file has, the operator itself.
Where place_of(const std::string& word, const std::string& op, const Source& source) {
  if (source.path.empty()) return {op, 0, 0, "", ""};
  const std::size_t begin = source.text.find(op);
  const std::size_t at = begin == source.text.npos ? begin : source.text.find(word, begin);
  if (at == source.text.npos) return {source.path, 0, 0, "", ""};
  return locate(source, at);
}

// Where no library is named, nothing says which custom operators there are.
bool may_be_there(const std::string& name, const KernelSet& kernels) {
  if (kernels.schema(name) != nullptr) return true;
  if (!kernels.libraries.empty()) return false;
  return !name.starts_with("aten::") || find_schema(kernels, name).has_value();
}

}  // namespace

std::string selected_key_problem(const KernelSet& kernels, const std::string& op,
                                 std::string_view word) {
  const auto schema = find_schema(kernels, op);
  std::string why;
  const bool is_dtype = word == "default" || selection_key(word) != word ||
                        (word.ends_with(';') && is_dtype_key(word));
  if (schema && !is_dtype) parse_meta(word, *schema, why);
  return why;
}

void check_selected_names(const OperatorSelection& selection, const KernelSet& kernels,
                          const Source& source, Level level, Diagnostics& diagnostics) {
  for (const auto& [name, one] : selection.operators) {
    if (one.include_all_overloads || may_be_there(name, kernels)) continue;
    const bool has_libraries = !kernels.libraries.empty();
    std::string message = has_libraries ? "no library has this operator" : "unknown operator";
    if (!source.path.empty()) message = fmt::format("{}: {}", name, message);
    diagnostics.add({level, place_of(name, name, source), std::move(message),
                     has_libraries ? operator_hint(name, operator_names(kernels.libraries))
                                   : operator_hint(name, kernels)});
  }
}

void check_selected_keys(const OperatorSelection& selection, const KernelSet& kernels,
                         const Source& source, Diagnostics& diagnostics) {
  for (const auto& [name, keys] : selection.kernels) {
    for (const std::string& key : keys) {
      const std::string why = selected_key_problem(kernels, name, key);
      const bool is_key = key.starts_with("v1/") || key == "default";
      if (!is_key || !why.empty())
        diagnostics.error(place_of(key, name, source),
                          is_key ? fmt::format("{}: {}", name, why)
                                 : fmt::format("\"{}\" of {} is no kernel key", key, name),
                          is_key ? "" : "a key, as in v1/6;0,1|6;0,1, or default");
    }
  }
}

}  // namespace kbench
