// Names every rule. A new one: its file, its declaration in rules.hpp, its row here.
#include "verdict/rules.hpp"

namespace kbench {
namespace {

constexpr VerdictRule table[] = {
    {"kbench",
     "kbench's own: errors in units of what honest arithmetic makes, beside the double-precision "
     "answer; indices by what they choose, samplers by many draws, integers and bools to the bit",
     judge_kbench, true, false},
    {"flashinfer-bench",
     "FlashInfer-Bench's own: an element is right if its absolute or its relative error is within "
     "the tolerance, errors in float32",
     judge_flashinfer_bench},
    {"kernelbench",
     "KernelBench's by our reading: torch.allclose with atol = rtol = 1e-4, for floating types of "
     "16 bits and fewer 1e-2",
     judge_kernelbench},
    {"robust-kbench", "robust-kbench's by our reading: torch.allclose with atol = rtol = 1e-5",
     judge_robust_kbench},
};

}  // namespace

std::span<const VerdictRule> verdict_rules() { return table; }

const VerdictRule* find_rule(std::string_view name) {
  for (const VerdictRule& rule : table) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

}  // namespace kbench
