#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.hpp"
#include "reference/torch/exact/exact_arithmetic.hpp"
#include "reference/torch/script/meaning.hpp"

namespace kbench {
namespace {

using at::ArrayRef;
using torch::jit::BuiltinFunction;
using torch::jit::ErrorReport;
using torch::jit::GraphFunction;
using torch::jit::NamedValue;
using torch::jit::SimpleValue;
using torch::jit::SourceRange;
using torch::jit::SugaredValue;
using torch::jit::Symbol;
using torch::jit::Value;
using SugaredPtr = std::shared_ptr<SugaredValue>;

constexpr std::pair<std::string_view, double> constants[] = {
    {"pi", std::numbers::pi},
    {"e", std::numbers::e},
    {"inf", std::numeric_limits<double>::infinity()},
    {"nan", std::numeric_limits<double>::quiet_NaN()},
};

// Functions of torch.nn.functional that are operators, and how many arguments they may be given by
// place: behind these come others than the operator's.
constexpr std::pair<std::string_view, std::size_t> functionals[] = {
    {"silu", 1},   {"relu", 1},       {"gelu", 1},     {"sigmoid", 1},
    {"tanh", 1},   {"softplus", 3},   {"softmax", 2},  {"log_softmax", 2},
    {"linear", 3}, {"layer_norm", 5}, {"pad", 4},      {"one_hot", 2},
    {"conv1d", 7}, {"conv2d", 7},     {"rms_norm", 4}, {"scaled_dot_product_attention", 6},
};

template <class T, std::size_t N>
const T* find(const std::pair<std::string_view, T> (&table)[N], std::string_view name) {
  for (const auto& [key, value] : table)
    if (key == name) return &value;
  return nullptr;
}

SugaredPtr constant(const SourceRange& loc, GraphFunction& m, const at::IValue& value) {
  return std::make_shared<SimpleValue>(m.graph()->insertConstant(value, loc));
}

SugaredPtr operator_named(const std::string& name) {
  return std::make_shared<BuiltinFunction>(Symbol::fromQualString(name), std::nullopt);
}

// Raises as Python does where C gives a nan or an infinity.
template <double (*function)(double)>
void push_function(torch::jit::Stack& stack) {
  const double x = torch::jit::pop(stack).toScalar().toDouble(), y = function(x);
  TORCH_CHECK(std::isfinite(y) || !std::isfinite(x), "math domain or range error");
  torch::jit::push(stack, y);
}

SugaredPtr math_function(const std::string& name) {
  using torch::jit::Operator;
  constexpr auto pure = c10::AliasAnalysisKind::FROM_SCHEMA;
  static const torch::jit::RegisterOperators once(
      {Operator("kbench::sqrt(Scalar x) -> float", &push_function<std::sqrt>, pure),
       Operator("kbench::log(Scalar x) -> float", &push_function<std::log>, pure),
       Operator("kbench::log2(Scalar x) -> float", &push_function<std::log2>, pure),
       Operator("kbench::exp(Scalar x) -> float", &push_function<std::exp>, pure)});
  const bool is_known = is_one_of(name, {"sqrt", "log", "log2", "exp"});
  return is_known ? operator_named("kbench::" + name) : nullptr;
}

// Operator, with those arguments changed that Python's function takes otherwise.
class Function : public SugaredValue {
 public:
  Function(std::string name, std::size_t most) : name_(std::move(name)), most_(most) {}
  std::string kind() const override { return name_; }

  SugaredPtr call(const SourceRange& loc, GraphFunction& m, ArrayRef<NamedValue> args,
                  ArrayRef<NamedValue> kwargs, std::size_t binders) override {
    if (args.size() > most_) throw(ErrorReport(loc) << name_ << " with this many arguments");
    std::vector<NamedValue> given(args.begin(), args.end()), named(kwargs.begin(), kwargs.end());
    if (name_ == "einsum" && given.size() > 1) pack(loc, m, given);
    if (name_ == "nonzero" && !named.empty() && is_false(named.front().value(*m.graph())))
      named.clear();  // as_tuple=False
    return operator_named("aten::" + name_)->call(loc, m, given, named, binders);
  }

 private:
  static bool is_false(Value* value) {
    const auto known = torch::jit::toIValue(value);
    return known && known->isBool() && !known->toBool();
  }

  // Packs tensors into the list that the operator takes.
  static void pack(const SourceRange& loc, GraphFunction& m, std::vector<NamedValue>& given) {
    std::vector<Value*> tensors;
    for (std::size_t i = 1; i < given.size(); ++i) tensors.push_back(given[i].value(*m.graph()));
    for (const Value* tensor : tensors)
      if (!tensor->type()->isSubtypeOf(*at::TensorType::get())) return;
    auto* list = m.graph()->createList(at::TensorType::get(), tensors);
    given.resize(1, given.front());
    given.emplace_back(loc, m.graph()->insertNode(list)->output());
  }

  std::string name_;
  std::size_t most_;
};

// Returns the type that a dtype's name stands for in the text.
at::ScalarType meant_by(at::ScalarType named) {
  const bool is_kept = c10::isFloat8Type(named) && ExactArithmetic::rounds_float8();
  return ExactArithmetic::is_on() && !is_kept ? mapped(named) : named;
}

class Module : public SugaredValue {
 public:
  explicit Module(std::string path) : path_(std::move(path)) {}
  std::string kind() const override { return "module " + path_; }

  SugaredPtr attr(const SourceRange& loc, GraphFunction& m, const std::string& name) override {
    const auto dtype = c10::getStringToDtypeMap().find(name);
    if (path_ == "torch" && dtype != c10::getStringToDtypeMap().end())
      return constant(loc, m, std::int64_t(meant_by(dtype->second)));
    const bool has_numbers = path_ == "torch" || path_ == "math";
    const double* number = has_numbers ? find(constants, name) : nullptr;
    if (number != nullptr) return constant(loc, m, *number);
    SugaredPtr value = module_value(path_ + "." + name);
    if (value == nullptr) throw(ErrorReport(loc) << path_ << "." << name << " is left to Python");
    return value;
  }

 private:
  std::string path_;
};

}  // namespace

SugaredPtr module_value(const std::string& path) {
  if (is_one_of(path, {"torch", "torch.nn", "torch.nn.functional", "math"}))
    return std::make_shared<Module>(path);
  const std::size_t dot = std::min(path.rfind('.'), path.size());
  const std::string module = path.substr(0, dot),
                    name = path.substr(std::min(dot + 1, path.size()));
  if (module == "math") return math_function(name);
  const auto* most = module == "torch.nn.functional" ? find(functionals, name) : nullptr;
  if (most != nullptr) return std::make_shared<Function>(name, *most);
  // Operands beyond two Python's einsum may take in another order.
  if (module != "torch" || !is_operator(name)) return nullptr;
  return std::make_shared<Function>(name, name == "einsum" ? 3 : 99);
}

}  // namespace kbench
