#include "torch/exact_arithmetic.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/impl/COW.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.hpp"

namespace kbench {
namespace {

using c10::IValue;
using c10::OperatorHandle;
using torch::jit::Stack;

bool on = false, rounding = false;

bool is_dtype(const c10::Argument& argument) {
  c10::TypePtr type = argument.real_type();
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  return type->kind() == c10::TypeKind::ScalarTypeType;
}

at::Tensor widened(const at::Tensor& tensor) {
  const bool is_narrow = tensor.defined() && is_mapped(tensor.scalar_type());
  return is_narrow ? tensor.to(mapped(tensor.scalar_type())) : tensor;
}

IValue widened(const IValue& value) {
  if (value.isTensor()) return widened(value.toTensor());
  if (!value.isTensorList()) return value;
  c10::List<at::Tensor> out;
  for (const at::Tensor& tensor : value.toTensorVector()) out.push_back(widened(tensor));
  return out;
}

// The part of a stack that an operator takes or leaves.
c10::ArrayRef<IValue> last(const Stack& stack, std::size_t count) {
  return c10::ArrayRef<IValue>(stack).slice(stack.size() - count);
}

IValue& at_end(Stack& stack, std::size_t count, std::size_t i) {
  return stack[stack.size() - count + i];
}

// What is no view of an argument and no argument itself.
void widen_results(const OperatorHandle& op, Stack& stack) {
  const auto& returns = op.schema().returns();
  for (std::size_t i = 0; i < returns.size(); ++i) {
    if (returns[i].alias_info() != nullptr) continue;
    IValue& value = at_end(stack, returns.size(), i);
    value = widened(value);
  }
}

void map_dtypes(const OperatorHandle& op, Stack& stack) {
  const auto& arguments = op.schema().arguments();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    IValue& value = at_end(stack, arguments.size(), i);
    if (!value.isInt() || !is_dtype(arguments[i])) continue;
    value = static_cast<std::int64_t>(mapped(static_cast<at::ScalarType>(value.toInt())));
  }
}

at::Generator generator_of(const OperatorHandle& op, const Stack& stack) {
  for (const IValue& value : last(stack, op.schema().arguments().size())) {
    if (value.isGenerator()) return value.toGenerator();
  }
  return at::detail::getDefaultCPUGenerator();
}

bool writes_to_an_argument(const OperatorHandle& op) { return op.schema().is_mutable(); }

// A tensor that an operator writes to, and the float32 copy that it gets in its place.
struct Written {
  at::Tensor original, copy;
};

bool is_written(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

// Replaces double tensors by float32 copies, and the dtype asked for, if it is to be a floating
// one, by float32: without a tensor argument, also where none is asked for.
std::vector<Written> narrow_arguments(const OperatorHandle& op, Stack& stack, bool makes_floats) {
  const auto& arguments = op.schema().arguments();
  std::vector<Written> written;
  bool any_tensor = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    IValue& value = at_end(stack, arguments.size(), i);
    const bool is_tensor = value.isTensor() && value.toTensor().defined();
    any_tensor = any_tensor || is_tensor;
    if (is_tensor && value.toTensor().scalar_type() == at::kDouble) {
      const at::Tensor original = value.toTensor();
      value = original.to(at::kFloat);
      if (is_written(arguments[i])) written.push_back({original, value.toTensor()});
    } else if (is_dtype(arguments[i]) && makes_floats && (value.isInt() || !any_tensor)) {
      value = static_cast<std::int64_t>(at::kFloat);
    }
  }
  return written;
}

// Runs a random operator as it runs natively, in float32, so that it draws what it draws there;
// what it writes to is written back.
void draw(const OperatorHandle& op, Stack& stack, bool makes_floats) {
  const std::vector<Written> written = narrow_arguments(op, stack, makes_floats);
  run_unwatched(op, stack);
  const std::size_t count = op.schema().returns().size();
  for (const auto& [original, copy] : written) {
    original.copy_(copy);
    for (std::size_t i = 0; i < count; ++i) {
      IValue& value = at_end(stack, count, i);
      if (value.isTensor() && value.toTensor().is_same(copy)) value = original;
    }
  }
  widen_results(op, stack);
}

// An operator that may draw random numbers: attention, for instance, draws them only with dropout.
void run_maybe_random(const OperatorHandle& op, Stack& stack) {
  if (writes_to_an_argument(op)) return draw(op, stack, true);
  const auto given = last(stack, op.schema().arguments().size()).vec();
  at::Generator generator = generator_of(op, stack);
  const at::Tensor before = generator.get_state().clone();
  run_unwatched(op, stack);
  if (at::equal(before, generator.get_state())) return widen_results(op, stack);
  generator.set_state(before);
  const IValue result = torch::jit::pop(stack);
  torch::jit::drop(stack, op.schema().returns().size() - 1);
  stack.insert(stack.end(), given.begin(), given.end());
  draw(op, stack, result.isTensor() && result.toTensor().is_floating_point());
}

// Copied when one of the two is written to.
at::Tensor lazy_copy(const at::Tensor& tensor) {
  const c10::StorageImpl& storage = *tensor.storage().unsafeGetStorageImpl();
  const bool can_share = c10::impl::cow::has_simple_data_ptr(storage) ||
                         c10::impl::cow::is_cow_data_ptr(storage.data_ptr());
  return can_share ? at::_lazy_clone(tensor) : tensor.clone();
}

// x.float() of a float16 tensor is a copy natively, and the text may write to it.
void copy_if_same(const OperatorHandle& op, const at::Tensor& self, Stack& stack) {
  if (op.schema().name() != "aten::to" && op.schema().name() != "aten::type_as") return;
  const at::Tensor& result = stack.back().toTensor();
  if (result.is_same(self)) stack.back() = lazy_copy(result);
}

// Whether a dtype is asked for, by name or as that of another tensor.
bool asks_for_dtype(const OperatorHandle& op, const Stack& stack) {
  const auto& arguments = op.schema().arguments();
  const auto given = last(stack, arguments.size());
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (given[i].isTensor() || (given[i].isInt() && is_dtype(arguments[i]))) return true;
  }
  return false;
}

// What was converted to a float8, where that is rounded to.
void round_to(at::ScalarType wanted, Stack& stack) {
  if (rounding && c10::isFloat8Type(wanted))
    stack.back() = stack.back().toTensor().to(wanted).to(at::kDouble);
}

constexpr std::string_view searches[] = {"aten::bucketize", "aten::searchsorted"};

// The dtype that `to` is asked for by name.
std::optional<at::ScalarType> converted_to(const OperatorHandle& op, const Stack& stack) {
  if (op.schema().name() != "aten::to") return std::nullopt;
  const auto& arguments = op.schema().arguments();
  const auto given = last(stack, arguments.size());
  for (std::size_t i = 1; i < given.size(); ++i) {
    if (given[i].isInt() && is_dtype(arguments[i]))
      return static_cast<at::ScalarType>(given[i].toInt());
  }
  return std::nullopt;
}

// Rounding a float to whole numbers, finding its bin in a table, converting it to 8 bits.
bool rounds_to_codes(const OperatorHandle& op, const Stack& stack) {
  const auto given = last(stack, op.schema().arguments().size());
  if (given.empty() || !given[0].isTensor() || !given[0].toTensor().is_floating_point()) {
    return false;
  }
  const std::string_view name = op.schema().name();
  if (find_operator(rounders, name) != nullptr || is_one_of(name, searches)) return true;
  const auto dtype = converted_to(op, stack);
  return dtype == at::kChar || dtype == at::kByte;
}

}  // namespace

bool is_mapped(c10::ScalarType type) {
  if (type == at::kComplexHalf || type == at::kComplexFloat) return true;
  return at::isFloatingType(type) && type != at::kDouble && type != at::kFloat4_e2m1fn_x2;
}

c10::ScalarType mapped(c10::ScalarType type) {
  if (!is_mapped(type)) return type;
  return at::isComplexType(type) ? at::kComplexDouble : at::kDouble;
}

ExactArithmetic::ExactArithmetic(ChoiceRecorder* recorder, bool rounds_float8)
    : default_before_(c10::get_default_dtype()), recorder_(recorder) {
  c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
  watching_.emplace(*this);
  on = true;
  rounding = rounds_float8;
}

ExactArithmetic::~ExactArithmetic() {
  on = rounding = false;
  c10::set_default_dtype(default_before_);
}

bool ExactArithmetic::is_on() { return on; }
bool ExactArithmetic::rounds_float8() { return rounding; }

void ExactArithmetic::run(const OperatorHandle& op, c10::DispatchKeySet, Stack& stack) {
  if (work_ == nullptr) return run_in_flow(op, stack);
  const auto given = last(stack, op.schema().arguments().size()).vec();
  run_in_flow(op, stack);
  const std::size_t results = op.schema().returns().size();
  const c10::impl::ExcludeDispatchKeyGuard own(c10::DispatchKey::TESTING_ONLY_GenericMode);
  if (results == 0) return;
  work_->add(op, given, at_end(stack, results, 0));
  picks_->add(op, given, last(stack, results));
}

void ExactArithmetic::run_in_flow(const OperatorHandle& op, Stack& stack) {
  if (flow_ == nullptr) return run_recorded(op, stack);
  const auto given = last(stack, op.schema().arguments().size()).vec();
  const bool makes_codes = rounds_to_codes(op, stack);
  {
    const c10::impl::ExcludeDispatchKeyGuard own(c10::DispatchKey::TESTING_ONLY_GenericMode);
    flow_->before(op, stack);
  }
  run_recorded(op, stack);
  const c10::impl::ExcludeDispatchKeyGuard own(c10::DispatchKey::TESTING_ONLY_GenericMode);
  flow_->after(op, given, stack, makes_codes);
}

void ExactArithmetic::run_recorded(const OperatorHandle& op, Stack& stack) {
  if (recorder_ == nullptr) return calculate(op, stack);
  {
    const c10::impl::ExcludeDispatchKeyGuard own(c10::DispatchKey::TESTING_ONLY_GenericMode);
    recorder_->before(op, stack);
  }
  calculate(op, stack);
  const c10::impl::ExcludeDispatchKeyGuard own(c10::DispatchKey::TESTING_ONLY_GenericMode);
  recorder_->after(stack);
}

void ExactArithmetic::calculate(const OperatorHandle& op, Stack& stack) {
  const c10::FunctionSchema& schema = op.schema();
  if (schema.name() == "aten::view" && schema.overload_name() == "dtype") {
    return reinterpret(op, stack);
  }
  makes_codes_ = makes_codes_ || rounds_to_codes(op, stack);
  const bool is_conversion = schema.name() == "aten::to" || schema.name() == "aten::type_as";
  const at::Tensor self = is_conversion && asks_for_dtype(op, stack)
                              ? last(stack, schema.arguments().size()).front().toTensor()
                              : at::Tensor();
  const auto wanted = converted_to(op, stack);
  map_dtypes(op, stack);
  const c10::impl::ExcludeDispatchKeyGuard helpers(c10::DispatchKey::TESTING_ONLY_GenericMode);
  if (op.hasTag(at::Tag::nondeterministic_seeded)) return run_maybe_random(op, stack);
  run_unwatched(op, stack);
  widen_results(op, stack);
  if (self.defined() && self.is_floating_point()) copy_if_same(op, self, stack);
  if (wanted) round_to(*wanted, stack);
}

// x.view(dtype). The bits of a mapped tensor are not those that the text means. An integer tensor
// holds the right ones; of 32 bits, they can only be meant as a float32.
void ExactArithmetic::reinterpret(const OperatorHandle& op, Stack& stack) {
  const c10::impl::ExcludeDispatchKeyGuard helpers(c10::DispatchKey::TESTING_ONLY_GenericMode);
  const auto dtype = static_cast<at::ScalarType>(stack.back().toInt());
  const at::Tensor self = stack[stack.size() - 2].toTensor();
  const bool from_float =
      self.scalar_type() == at::kDouble || at::isComplexType(self.scalar_type());
  const bool to_float = dtype == at::kDouble || is_mapped(dtype);
  if (!to_float && !from_float) return run_unwatched(op, stack);
  torch::jit::drop(stack, 2);
  if (from_float && to_float) return torch::jit::push(stack, self);
  if (self.scalar_type() == at::kInt) {
    return torch::jit::push(stack, self.view(at::kFloat).to(at::kDouble));
  }
  if (to_float && is_mapped(self.scalar_type())) {
    return torch::jit::push(stack, self.to(at::kDouble));
  }
  refused_bits_ = true;
  TORCH_CHECK(false, "the reference reinterprets the bits of a float");
}

}  // namespace kbench
