#include "cli/kernels/model_operators.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/shell/terminal.hpp"
#include "registry/executorch_program.hpp"

namespace kbench {
namespace {

// Source: ExecuTorch, kernels/prim_ops/register_prim_ops.cpp.
bool is_of_the_runtime(const std::string& op, const KernelSet& kernels) {
  const bool is_primitive =
      op.starts_with("executorch_prim::") ||
      is_one_of(op, {"aten::sym_size.int", "aten::sym_numel", "aten::_local_scalar_dense"});
  return is_primitive && kernels.schema(op) == nullptr;
}

// Where a call of the operator has tensors, lists of these among them.
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
      diagnostics.error({path, 0, 0, "", ""}, fmt::format("{}: {}", call.op, why),
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
