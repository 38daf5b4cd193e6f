// Pairs stored outputs with the reference's by name.
#include <fmt/format.h>

#include <algorithm>

#include "verdict/verdict.hpp"

namespace kbench {
namespace {

const NamedTensor* find(std::span<const NamedTensor> tensors, const std::string& name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const NamedTensor& tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Verdict> judge_by_name(const VerdictRule& rule, const VerdictContext& context,
                                     std::span<const NamedTensor> outputs,
                                     std::span<const NamedTensor> reference,
                                     Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  std::vector<TensorView> left, right;
  std::vector<std::string> names;
  for (const NamedTensor& wanted : reference) {
    const NamedTensor* output = find(outputs, wanted.name);
    if (output == nullptr) {
      diagnostics.error({},
                        fmt::format("the outputs lack '{}', which the reference has", wanted.name));
      continue;
    }
    left.push_back(output->tensor);
    right.push_back(wanted.tensor);
    names.push_back(wanted.name);
  }
  for (const NamedTensor& output : outputs) {
    if (find(reference, output.name) != nullptr) continue;
    diagnostics.error({},
                      fmt::format("the reference lacks '{}', which the outputs have", output.name));
  }
  if (diagnostics.errors() != before) return std::nullopt;
  VerdictContext named = context;
  named.names = names;
  const Verdict verdict = rule.judge(named, left, right);
  return combine(std::span(&verdict, 1));
}

}  // namespace kbench
