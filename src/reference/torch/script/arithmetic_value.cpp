#include "reference/torch/script/arithmetic_value.hpp"

#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace kbench {
namespace {

using at::ArrayRef;
using torch::jit::BuiltinFunction;
using torch::jit::GraphFunction;
using torch::jit::NamedValue;
using torch::jit::SourceRange;
using torch::jit::SugaredValue;
using torch::jit::Symbol;
using torch::jit::Value;
using SugaredPtr = std::shared_ptr<SugaredValue>;

}  // namespace

SugaredPtr aten_function(const std::string& name) {
  return std::make_shared<BuiltinFunction>(Symbol::fromQualString("aten::" + name), std::nullopt);
}

namespace {

// Raises where Python's integers would go on past 64 bits.
std::int64_t integer_power(std::int64_t base, std::int64_t exponent) {
  TORCH_CHECK(exponent >= 0, "an integer to the power of ", exponent, ", known only when it runs");
  std::int64_t result = 1;
  for (std::int64_t left = exponent; left > 0; left >>= 1) {
    const bool fits = (left & 1) == 0 || !__builtin_mul_overflow(result, base, &result);
    TORCH_CHECK(fits && (left == 1 || !__builtin_mul_overflow(base, base, &base)),
                "a power has over 64 bits");
  }
  return result;
}

void register_arithmetic() {
  static const torch::jit::RegisterOperators once(
      {torch::jit::Operator(
           "kbench::power(int a, int b) -> int",
           [](torch::jit::Stack& stack) {
             const std::int64_t exponent = torch::jit::pop(stack).toInt();
             const std::int64_t base = torch::jit::pop(stack).toInt();
             torch::jit::push(stack, integer_power(base, exponent));
           },
           c10::AliasAnalysisKind::FROM_SCHEMA),
       torch::jit::Operator(
           "kbench::log2(Scalar x) -> float",
           [](torch::jit::Stack& stack) {
             torch::jit::push(stack, std::log2(torch::jit::pop(stack).toScalar().toDouble()));
           },
           c10::AliasAnalysisKind::FROM_SCHEMA)});
}

SugaredPtr own_operator(const std::string& name) {
  register_arithmetic();
  return std::make_shared<BuiltinFunction>(Symbol::fromQualString("kbench::" + name), std::nullopt);
}

// a ** b: two integers make an integer.
class Power : public SugaredValue {
 public:
  std::string kind() const override { return "**"; }

  SugaredPtr call(const SourceRange& loc, GraphFunction& m, ArrayRef<NamedValue> args,
                  ArrayRef<NamedValue>, std::size_t binders) override {
    const bool integers = std::all_of(args.begin(), args.end(), [&](const NamedValue& v) {
      return v.value(*m.graph())->type()->isSubtypeOf(*at::IntType::get());
    });
    const auto exponent = torch::jit::toIValue(args.back().value(*m.graph()));
    const bool negative = exponent && exponent->isInt() && exponent->toInt() < 0;
    const SugaredPtr power = integers && !negative ? own_operator("power") : aten_function("pow");
    return power->call(loc, m, args, {}, binders);
  }
};

// round(x): of a float an integer.
class Round : public SugaredValue {
 public:
  std::string kind() const override { return "round"; }

  SugaredPtr call(const SourceRange& loc, GraphFunction& m, ArrayRef<NamedValue> args,
                  ArrayRef<NamedValue> kwargs, std::size_t binders) override {
    const SugaredPtr rounded = aten_function("round")->call(loc, m, args, kwargs, binders);
    Value* value = rounded->asValue(loc, m);
    if (args.size() != 1 || !value->type()->isSubtypeOf(*at::FloatType::get())) return rounded;
    return aten_function("Int")->call(loc, m, {NamedValue(loc, value)}, {}, binders);
  }
};

}  // namespace

std::shared_ptr<SugaredValue> arithmetic_value(std::string_view path) {
  if (path == "operator.pow") return std::make_shared<Power>();
  if (path == "operator.round") return std::make_shared<Round>();
  if (path == "math.log2") return own_operator("log2");
  return nullptr;
}

}  // namespace kbench
