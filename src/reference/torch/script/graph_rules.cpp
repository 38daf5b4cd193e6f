#include "reference/torch/script/graph_rules.hpp"

#include <ATen/ScalarOps.h>
#include <torch/csrc/jit/frontend/error_report.h>
#include <torch/csrc/jit/runtime/custom_operator.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

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

void register_mul_number() {
  static const torch::jit::RegisterOperators once({torch::jit::Operator(
      "kbench::mul_number_(Tensor(a!) self, Scalar other) -> Tensor(a!)",
      [](torch::jit::Stack& stack) {
        const at::Scalar factor = torch::jit::pop(stack).toScalar();
        at::Tensor self = torch::jit::pop(stack).toTensor();
        const at::Tensor number = c10::scalar_to_tensor(factor);
        number.unsafeGetTensorImpl()->set_wrapped_number(true);
        torch::jit::push(stack, self.mul_(number));
      },
      c10::AliasAnalysisKind::FROM_SCHEMA)});
}

std::vector<torch::jit::Node*> products_with_numbers(torch::jit::Block& block) {
  std::vector<torch::jit::Node*> found;
  for (torch::jit::Node* node : block.nodes()) {
    for (torch::jit::Block* inner : node->blocks()) {
      const auto further = products_with_numbers(*inner);
      found.insert(found.end(), further.begin(), further.end());
    }
    const bool is_product = node->kind() == at::aten::mul_ && node->inputs().size() == 2;
    if (is_product && node->input(1)->type()->kind() != at::TypeKind::TensorType)
      found.push_back(node);
  }
  return found;
}

}  // namespace

void keep_factors(torch::jit::Graph& graph) {
  register_mul_number();
  for (torch::jit::Node* node : products_with_numbers(*graph.block())) {
    torch::jit::Node* made =
        graph.create(torch::jit::Symbol::fromQualString("kbench::mul_number_"), node->inputs());
    made->insertBefore(node)->setSourceRange(node->sourceRange());
    made->output()->setType(node->output()->type());
    node->output()->replaceAllUsesWith(made->output());
    node->destroy();
  }
}

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
