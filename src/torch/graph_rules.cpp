#include "torch/graph_rules.hpp"

#include <torch/csrc/jit/frontend/error_report.h>

#include <algorithm>
#include <initializer_list>

namespace kbench {
namespace {

using torch::jit::ErrorReport;

// LibTorch takes it from the number's whole part: 0.25 would be false.
bool is_truth_of_item(const torch::jit::Node& node) {
  if (node.kind() != at::aten::Bool || node.inputs().empty()) return false;
  const torch::jit::Node* of = node.input(0)->node();
  return of->kind() == at::aten::Int && of->input(0)->type()->kind() == at::TypeKind::NumberType;
}

// Python takes both from the exact remainder, LibTorch from the rounded quotient: 5.0 // 0.1 would
// be 50.
bool is_division_of_floats(const torch::jit::Node& node) {
  if (node.kind() != at::aten::floordiv && node.kind() != at::aten::remainder) return false;
  const auto has = [&](std::initializer_list<at::TypeKind> kinds) {
    return std::any_of(node.inputs().begin(), node.inputs().end(), [&](const auto* input) {
      return std::find(kinds.begin(), kinds.end(), input->type()->kind()) != kinds.end();
    });
  };
  return has({at::TypeKind::FloatType, at::TypeKind::NumberType}) &&
         !has({at::TypeKind::TensorType});
}

}  // namespace

void refuse_other_values(const torch::jit::Block& block) {
  for (const torch::jit::Node* node : block.nodes()) {
    for (const torch::jit::Block* inner : node->blocks()) refuse_other_values(*inner);
    if (is_truth_of_item(*node))
      throw(ErrorReport(node->sourceRange()) << "the truth of a number from .item()");
    if (is_division_of_floats(*node))
      throw(ErrorReport(node->sourceRange()) << "a // or % of floats");
  }
}

}  // namespace kbench
