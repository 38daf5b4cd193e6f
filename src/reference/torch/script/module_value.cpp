#include "reference/torch/script/module_value.hpp"

#include <torch/csrc/jit/frontend/sugared_value.h>
#include <torch/csrc/jit/runtime/custom_operator.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <limits>
#include <numbers>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/torch/exact/exact_arithmetic.hpp"
#include "reference/torch/script/arithmetic_value.hpp"
#include "reference/torch/script/dtype_limits.hpp"
#include "reference/torch/script/prelude.hpp"

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

constexpr std::pair<std::string_view, at::ScalarType> dtype_names[] = {
    {"float32", at::kFloat},
    {"float", at::kFloat},
    {"float64", at::kDouble},
    {"double", at::kDouble},
    {"float16", at::kHalf},
    {"half", at::kHalf},
    {"bfloat16", at::kBFloat16},
    {"float8_e4m3fn", at::kFloat8_e4m3fn},
    {"float8_e5m2", at::kFloat8_e5m2},
    {"float8_e4m3fnuz", at::kFloat8_e4m3fnuz},
    {"float8_e5m2fnuz", at::kFloat8_e5m2fnuz},
    {"float8_e8m0fnu", at::kFloat8_e8m0fnu},
    {"float4_e2m1fn_x2", at::kFloat4_e2m1fn_x2},
    {"int64", at::kLong},
    {"long", at::kLong},
    {"int32", at::kInt},
    {"int", at::kInt},
    {"int16", at::kShort},
    {"short", at::kShort},
    {"int8", at::kChar},
    {"uint8", at::kByte},
    {"uint16", at::kUInt16},
    {"uint32", at::kUInt32},
    {"uint64", at::kUInt64},
    {"bool", at::kBool},
    {"complex64", at::kComplexFloat},
    {"complex128", at::kComplexDouble},
};

constexpr std::pair<std::string_view, double> math_constants[] = {
    {"pi", std::numbers::pi},
    {"e", std::numbers::e},
    {"tau", 2 * std::numbers::pi},
    {"inf", std::numeric_limits<double>::infinity()},
    {"nan", std::numeric_limits<double>::quiet_NaN()},
};

template <class T, std::size_t N>
const T* find(const std::pair<std::string_view, T> (&table)[N], std::string_view name) {
  for (const auto& [key, value] : table) {
    if (key == name) return &value;
  }
  return nullptr;
}

SugaredPtr constant(const SourceRange& loc, GraphFunction& m, const at::IValue& value) {
  return std::make_shared<SimpleValue>(m.graph()->insertConstant(value, loc));
}

// Python's functions that take any number of tensors; the operator takes a list of them.
class ListFunction : public SugaredValue {
 public:
  ListFunction(std::string name, std::size_t leading) : name_(std::move(name)), leading_(leading) {}
  std::string kind() const override { return "torch." + name_; }

  SugaredPtr call(const SourceRange& loc, GraphFunction& m, ArrayRef<NamedValue> args,
                  ArrayRef<NamedValue> kwargs, std::size_t binders) override {
    const auto is_tensor = [&](const NamedValue& v) {
      return v.value(*m.graph())->type()->isSubtypeOf(*at::TensorType::get());
    };
    if (args.size() <= leading_ || !is_tensor(args[leading_])) {
      return aten_function(name_)->call(loc, m, args, kwargs, binders);
    }
    std::vector<NamedValue> packed(args.begin(), args.begin() + leading_);
    std::vector<Value*> tensors;
    for (const NamedValue& arg : args.slice(leading_)) tensors.push_back(arg.value(*m.graph()));
    auto* list = m.graph()->createList(at::TensorType::get(), tensors);
    packed.emplace_back(loc, m.graph()->insertNode(list)->output());
    return aten_function(name_)->call(loc, m, packed, kwargs, binders);
  }

 private:
  std::string name_;
  std::size_t leading_;  // arguments before the tensors
};

// x.view(dtype): LibTorch keeps its own operator from the compiler, because a dtype is an integer
// there and might be a size.
SugaredPtr view_as() {
  static const torch::jit::RegisterOperators once({torch::jit::Operator(
      "kbench::view_as(Tensor(a) self, int dtype) -> Tensor(a)",
      [](torch::jit::Stack& stack) {
        const auto dtype = static_cast<at::ScalarType>(torch::jit::pop(stack).toInt());
        const at::Tensor self = torch::jit::pop(stack).toTensor();
        torch::jit::push(stack, self.view(dtype));
      },
      c10::AliasAnalysisKind::FROM_SCHEMA)});
  return std::make_shared<BuiltinFunction>(Symbol::fromQualString("kbench::view_as"), std::nullopt);
}

// torch.nonzero(x, as_tuple=…): the flag chooses the operator, so it has to be a literal.
class Nonzero : public SugaredValue {
 public:
  std::string kind() const override { return "torch.nonzero"; }

  SugaredPtr call(const SourceRange& loc, GraphFunction& m, ArrayRef<NamedValue> args,
                  ArrayRef<NamedValue> kwargs, std::size_t binders) override {
    bool as_tuple = false;
    std::vector<NamedValue> others;
    for (const NamedValue& kwarg : kwargs) {
      if (kwarg.name() != "as_tuple") {
        others.push_back(kwarg);
        continue;
      }
      const auto flag = torch::jit::toIValue(kwarg.value(*m.graph()));
      if (!flag) throw(ErrorReport(loc) << "nonzero(as_tuple=…) needs True or False");
      as_tuple = flag->toBool();
    }
    return aten_function(as_tuple ? "nonzero_numpy" : "nonzero")
        ->call(loc, m, args, others, binders);
  }
};

// What torch.finfo(dtype) and torch.iinfo(dtype) return. The dtype may be known only when it runs.
class DtypeLimits : public SugaredValue {
 public:
  DtypeLimits(std::string name, Value* dtype) : name_(std::move(name)), dtype_(dtype) {}
  std::string kind() const override { return "torch." + name_; }

  SugaredPtr attr(const SourceRange& loc, GraphFunction& m, const std::string& field) override {
    static const torch::jit::RegisterOperators once(
        {torch::jit::Operator("kbench::finfo(int dtype, str field) -> float", &push_float_limit,
                              c10::AliasAnalysisKind::FROM_SCHEMA),
         torch::jit::Operator("kbench::iinfo(int dtype, str field) -> int", &push_integer_limit,
                              c10::AliasAnalysisKind::FROM_SCHEMA)});
    const std::string op = field == "bits" ? "iinfo" : name_;  // an integer of either
    BuiltinFunction limit(Symbol::fromQualString("kbench::" + op), std::nullopt);
    const NamedValue name(loc, m.graph()->insertConstant(field, loc));
    return limit.call(loc, m, {NamedValue(loc, dtype_), name}, {}, 1);
  }

 private:
  std::string name_;
  Value* dtype_;
};

class DtypeLimitsOf : public SugaredValue {
 public:
  explicit DtypeLimitsOf(std::string name) : name_(std::move(name)) {}
  std::string kind() const override { return "torch." + name_; }

  SugaredPtr call(const SourceRange& loc, GraphFunction& m, ArrayRef<NamedValue> args,
                  ArrayRef<NamedValue>, std::size_t) override {
    if (args.size() != 1) throw(ErrorReport(loc) << "torch." << name_ << " takes one dtype");
    return std::make_shared<DtypeLimits>(name_, args[0].value(*m.graph()));
  }

 private:
  std::string name_;
};

// What a dtype's name stands for in the text.
at::ScalarType meant_by(at::ScalarType named) {
  const bool is_kept = c10::isFloat8Type(named) && ExactArithmetic::rounds_float8();
  return ExactArithmetic::is_on() && !is_kept ? mapped(named) : named;
}

// A module or package. An attribute is what the dotted path says.
class Module : public SugaredValue {
 public:
  Module(std::string path, PreludeLookup prelude)
      : path_(std::move(path)), prelude_(std::move(prelude)) {}
  std::string kind() const override { return "module " + path_; }

  SugaredPtr attr(const SourceRange& loc, GraphFunction& m, const std::string& field) override {
    const std::string path = path_ + "." + field;
    if (path_ == "torch") {
      if (const auto* dtype = find(dtype_names, field))
        return constant(loc, m, std::int64_t(meant_by(*dtype)));
    }
    if (path_ == "torch" || path_ == "math") {
      if (const auto* number = find(math_constants, field)) return constant(loc, m, *number);
    }
    SugaredPtr value = module_value(path, prelude_);
    if (value == nullptr) throw(ErrorReport(loc) << "undefined value " << path);
    return value;
  }

 private:
  std::string path_;
  PreludeLookup prelude_;
};

// `import numpy as np` is no mistake until np is used.
class Absent : public SugaredValue {
 public:
  explicit Absent(std::string path) : path_(std::move(path)) {}
  std::string kind() const override { return "module " + path_; }
  SugaredPtr attr(const SourceRange& loc, GraphFunction&, const std::string&) override {
    throw(ErrorReport(loc) << "module " << path_ << " is not there");
  }
  SugaredPtr call(const SourceRange& loc, GraphFunction&, ArrayRef<NamedValue>,
                  ArrayRef<NamedValue>, std::size_t) override {
    throw(ErrorReport(loc) << "module " << path_ << " is not there");
  }
  Value* asValue(const SourceRange& loc, GraphFunction&) override {
    throw(ErrorReport(loc) << "module " << path_ << " is not there");
  }

 private:
  std::string path_;
};

// Modules, and what stands before their functions' names among the operators.
constexpr std::pair<std::string_view, std::string_view> prefixes[] = {
    {"torch.nn.functional", ""},
    {"torch.linalg", "linalg_"},
    {"torch.special", "special_"},
    {"torch.fft", "fft_"},
    {"torch.ops.aten", ""},
    {"torch._C._nn", ""},
    {"torch.Tensor", ""},
    {"torch.functional", ""},
    {"torch", ""},
    {"math", ""},
};

constexpr std::string_view packages[] = {"torch.nn", "torch.ops", "torch._C"};

constexpr std::pair<std::string_view, std::string_view> renamed[] = {
    {"torch.nn.functional.logsigmoid", "log_sigmoid"},
    {"torch.cond", ""},
    {"math.fabs", "abs"},
};

SugaredPtr special_function(std::string_view path) {
  if (SugaredPtr arithmetic = arithmetic_value(path)) return arithmetic;
  if (path == "operator.view_as") return view_as();
  if (path.substr(0, 9) == "builtins.") {
    return std::make_shared<torch::jit::ExceptionValue>(std::string(path.substr(9)));
  }
  if (path == "torch.nonzero") return std::make_shared<Nonzero>();
  if (path == "torch.finfo" || path == "torch.iinfo") {
    return std::make_shared<DtypeLimitsOf>(std::string(path.substr(6)));
  }
  if (path == "torch.einsum") return std::make_shared<ListFunction>("einsum", 1);
  for (const std::string_view name :
       {"meshgrid", "broadcast_tensors", "block_diag", "cartesian_prod"}) {
    if (path == std::string("torch.").append(name)) {
      return std::make_shared<ListFunction>(std::string(name), 0);
    }
  }
  return nullptr;
}

SugaredPtr operator_named(const std::string& path) {
  if (const auto* name = find(renamed, path)) return aten_function(std::string(*name));
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return nullptr;
  const auto* prefix = find(prefixes, std::string_view(path).substr(0, dot));
  if (prefix == nullptr) return nullptr;
  return aten_function(std::string(*prefix) + path.substr(dot + 1));
}

}  // namespace

SugaredPtr module_value(const std::string& path, const PreludeLookup& prelude) {
  const bool is_package =
      std::find(std::begin(packages), std::end(packages), path) != std::end(packages);
  if (is_package || find(prefixes, path) != nullptr) return std::make_shared<Module>(path, prelude);
  if (const auto name = prelude_name(path); !name.empty()) return prelude(std::string(name));
  if (SugaredPtr special = special_function(path)) return special;
  if (SugaredPtr known = operator_named(path)) return known;
  return std::make_shared<Absent>(path);
}

}  // namespace kbench
