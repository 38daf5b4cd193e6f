#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/operator.h>

#include "torch/observe.hpp"

namespace kbench {
namespace {

using torch::jit::GraphFunction;
using torch::jit::NamedValue;
using torch::jit::SimpleValue;
using torch::jit::Symbol;
using torch::jit::Value;

// An operator that may do anything to its argument, as far as the compiler knows.
void register_operator() {
  static const torch::jit::RegisterOperators once({torch::jit::Operator(
      "kbench::observe(t x) -> ()", [](torch::jit::Stack& stack) { torch::jit::drop(stack, 1); },
      c10::AliasAnalysisKind::CONSERVATIVE)});
}

class Observe : public torch::jit::SugaredValue {
 public:
  std::string kind() const override { return "a statement"; }

  std::shared_ptr<torch::jit::SugaredValue> call(const torch::jit::SourceRange& loc,
                                                 GraphFunction& m, at::ArrayRef<NamedValue> args,
                                                 at::ArrayRef<NamedValue>, std::size_t) override {
    Value* value = args.front().value(*m.graph());
    auto* node = m.graph()->create(Symbol::fromQualString("kbench::observe"), {value}, 0);
    m.graph()->insertNode(node)->setSourceRange(loc);
    return std::make_shared<SimpleValue>(value);
  }
};

}  // namespace

std::shared_ptr<torch::jit::SugaredValue> observe_value() {
  register_operator();
  return std::make_shared<Observe>();
}

}  // namespace kbench
