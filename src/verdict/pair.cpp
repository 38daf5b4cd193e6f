// Pairs stored outputs with the reference's by name.
#include <fmt/format.h>

#include <map>

#include "verdict/verdict.hpp"

namespace kbench {
namespace {

std::map<std::string_view, const NamedTensor*> by_name(std::span<const NamedTensor> tensors) {
  std::map<std::string_view, const NamedTensor*> out;
  for (const NamedTensor& tensor : tensors) out.emplace(tensor.name, &tensor);
  return out;
}

}  // namespace

std::optional<Verdict> judge_by_name(const VerdictRule& rule, const VerdictContext& context,
                                     std::span<const NamedTensor> outputs,
                                     std::span<const NamedTensor> reference,
                                     Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  const auto known = by_name(outputs), wanted_names = by_name(reference);
  std::vector<TensorView> left, right;
  std::vector<std::string> names;
  for (const NamedTensor& wanted : reference) {
    const auto output = known.find(wanted.name);
    if (output == known.end()) {
      diagnostics.error({},
                        fmt::format("the outputs lack '{}', which the reference has", wanted.name));
      continue;
    }
    left.push_back(output->second->tensor);
    right.push_back(wanted.tensor);
    names.push_back(wanted.name);
  }
  for (const NamedTensor& output : outputs) {
    if (wanted_names.contains(output.name)) continue;
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
