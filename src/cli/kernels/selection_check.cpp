#include "cli/kernels/selection_check.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/shell/terminal.hpp"
#include "kernels/registry/arg_meta.hpp"
#include "kernels/registry/executorch_program.hpp"
#include "kernels/registry/kernel_key.hpp"

namespace kbench {
namespace {

// "v1/6;", as the selection has it for Float.
bool is_dtype_key(std::string_view word) {
  std::string why;
  const auto key = parse_key(word, why);
  return key && key->size() == 1 && key->front().scalar_type &&
         find_scalar_type(*key->front().scalar_type) != nullptr;
}

// Place of a word in what was read; the operator itself in a selection that no file has.
Where place_of(const std::string& word, const std::string& op, const Source& source) {
  if (source.path.empty()) return {op};
  const std::size_t begin = source.text.find(op);
  const std::size_t at = begin == source.text.npos ? begin : source.text.find(word, begin);
  if (at == source.text.npos) return {source.path};
  return locate(source, at);
}

// Tells whether it may exist: without a named library nothing says which custom operators do.
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

namespace {

// Source: ExecuTorch, kernels/prim_ops/register_prim_ops.cpp.
bool is_of_the_runtime(const std::string& op, const KernelSet& kernels) {
  const bool is_primitive =
      op.starts_with("executorch_prim::") ||
      is_one_of(op, {"aten::sym_size.int", "aten::sym_numel", "aten::_local_scalar_dense"});
  return is_primitive && kernels.schema(op) == nullptr;
}

// Numbers of the operator's arguments that are tensors or lists of these.
std::vector<std::size_t> tensor_places(const ops::Schema& schema) {
  std::vector<std::size_t> places;
  const auto arguments = ops::arguments_of(schema);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i]->type.base == ops::BaseType::tensor) places.push_back(i);
  return places;
}

void tell_of(const std::string& path, std::string_view what,
             const std::vector<std::string>& names) {
  if (!names.empty()) tell(fmt::format("{}: {}: {}\n", path, what, join(names, ", ")));
}

}  // namespace

void select_of_model(const std::string& path, const KernelSet& kernels,
                     OperatorSelection& selection, Diagnostics& diagnostics) {
  const auto program = read_program(read_file(path), path, diagnostics);
  if (!program) return;
  std::vector<std::string> passed;
  for (const std::string& op : program->operators) {
    if (is_of_the_runtime(op, kernels)) passed.push_back(op);
  }
  for (const ProgramCall& call : program->calls) {
    if (has_word(passed, call.op)) continue;
    const auto schema = find_schema(kernels, call.op);
    std::string why;
    const auto key = schema ? key_of(call, tensor_places(*schema), why) : std::nullopt;
    if (!why.empty())
      diagnostics.error({path}, fmt::format("{}: {}", call.op, why),
                        "the program has another schema: " + ops::text(*schema));
    select(selection, call.op, key ? key_text(*key) : "default", path);
  }
  for (const std::string& op : program->operators) {
    const bool is_open = !has_word(passed, op) && !selection.operators.contains(op);
    if (is_open) select(selection, op, "default", path);
  }
  tell_of(path, "passed over, ExecuTorch's runtime has them", passed);
  tell_of(path, "parts go to delegates, whose kernels are elsewhere", program->delegates);
}

}  // namespace kbench
