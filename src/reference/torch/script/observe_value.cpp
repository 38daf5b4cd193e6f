#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/operator.h>

#include "reference/torch/text/observe.hpp"

namespace kbench {
namespace {

using torch::jit::GraphFunction;
using torch::jit::NamedValue;
using torch::jit::SimpleValue;
using torch::jit::Symbol;
using torch::jit::Value;

// Operators that may do anything to their arguments, as far as the compiler knows.
void register_observers() {
  static const torch::jit::RegisterOperators once(
      {torch::jit::Operator(
           "kbench::observe(t x) -> ()",
           [](torch::jit::Stack& stack) { torch::jit::drop(stack, 1); },
           c10::AliasAnalysisKind::CONSERVATIVE),
       torch::jit::Operator(
           "kbench::keep_writes(t x) -> t", [](torch::jit::Stack&) {},
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
  register_observers();
  return std::make_shared<Observe>();
}

Value* keep_writes(Value* value, GraphFunction& m, const torch::jit::SourceRange& loc) {
  register_observers();
  auto* node = m.graph()->create(Symbol::fromQualString("kbench::keep_writes"), {value}, 1);
  node->output()->setType(value->type());
  m.graph()->insertNode(node)->setSourceRange(loc);
  return node->output();
}

}  // namespace kbench
