#include "reference/torch/exact/exact_arithmetic.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/impl/COW.h>

#include <algorithm>
#include <string_view>

#include "base/words.hpp"
#include "schema/dtype.hpp"

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

// Returns the part of a stack that an operator takes or leaves.
c10::ArrayRef<IValue> last(const Stack& stack, std::size_t count) {
  return c10::ArrayRef<IValue>(stack).slice(stack.size() - count);
}

IValue& at_end(Stack& stack, std::size_t count, std::size_t i) {
  return stack[stack.size() - count + i];
}

// Widens results that are no argument and no view of one.
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
  for (const IValue& value : last(stack, op.schema().arguments().size()))
    if (value.isGenerator()) return value.toGenerator();
  return at::detail::getDefaultCPUGenerator();
}

bool writes_to_an_argument(const OperatorHandle& op) { return op.schema().is_mutable(); }

// Tensor that an operator writes to, and the float32 copy that it gets in its place.
struct Written {
  at::Tensor original, copy;
};

bool is_written(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

// Replaces double tensors by float32 copies, and the dtype asked for, if it is to be a floating
// one, by float32; without a tensor argument also an absent dtype.
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

// Runs a random operator as it runs natively, in float32, so that it draws the same numbers; its
// written arguments are written back.
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

// Runs an operator that may draw random numbers: attention, for one, draws them only with dropout.
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

// Copies a tensor when one of the two is written to.
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

// Tells whether a dtype is asked for, by name or as that of another tensor.
bool asks_for_dtype(const OperatorHandle& op, const Stack& stack) {
  const auto& arguments = op.schema().arguments();
  const auto given = last(stack, arguments.size());
  for (std::size_t i = 1; i < arguments.size(); ++i)
    if (given[i].isTensor() || (given[i].isInt() && is_dtype(arguments[i]))) return true;
  return false;
}

// Rounds the result of a conversion to a float8, where the run does that.
void round_to(at::ScalarType wanted, Stack& stack) {
  if (rounding && c10::isFloat8Type(wanted))
    stack.back() = stack.back().toTensor().to(wanted).to(at::kDouble);
}

// Place, among arguments, of the first numbers that are read out of bytes.
constexpr std::uint64_t first_read = std::uint64_t{1} << 32;

bool are_powers_of_two(const at::Tensor& numbers) {
  return std::get<0>(at::frexp(numbers)).abs().eq(0.5).logical_or(numbers.eq(0)).all().item<bool>();
}

constexpr std::string_view searches[] = {"aten::bucketize", "aten::searchsorted"};

// Returns the dtype that `to` is asked for by name.
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

// Tells whether an operator rounds a float to whole numbers, finds its bin, or makes 8 bits of it.
bool rounds_to_codes(const OperatorHandle& op, const Stack& stack) {
  const auto given = last(stack, op.schema().arguments().size());
  if (given.empty() || !given[0].isTensor() || !given[0].toTensor().is_floating_point())
    return false;
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
  if (is_bit_view(op)) return reinterpret(op, stack);
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

bool ExactArithmetic::wrote_to_copies() const {
  return std::any_of(copies_.begin(), copies_.end(), [](const Version& version) {
    return version.counter.current_version() != version.then;
  });
}

void ExactArithmetic::watch_writes(const at::Tensor& copy) {
  const c10::VariableVersion& counter = copy.unsafeGetTensorImpl()->version_counter();
  if (counter.enabled()) copies_.push_back({counter, counter.current_version()});
}

// Dtypes of a view are known where both are seen or a native run came before, and for integers of
// 32 bits: they can only be meant as a float32. Returns nothing where they are not known.
std::optional<BitView> ExactArithmetic::meant(at::ScalarType self, at::ScalarType asked) {
  if (views_ != nullptr) {
    const BitView* next = views_->at(next_view_++);
    const bool fits =
        next != nullptr && mapped(next->from) == mapped(self) && mapped(next->to) == mapped(asked);
    return fits ? std::optional(*next) : std::nullopt;
  }
  if (self == at::kDouble || at::isComplexType(self)) return std::nullopt;
  if (asked != at::kDouble) return BitView{self, asked};
  return self == at::kInt ? std::optional(BitView{self, at::kFloat}) : std::nullopt;
}

// Returns a tensor's native content. If that rounds it, another program may have other bits.
at::Tensor ExactArithmetic::stored(const at::Tensor& self, const BitView& view) {
  if (!is_mapped(view.from)) return self;
  at::Tensor narrow = self.to(view.from);
  const at::Tensor back = narrow.to(self.scalar_type());
  makes_codes_ = makes_codes_ || !back.eq(self).logical_or(self.ne(self)).all().item<bool>();
  return narrow;
}

// Returns the numbers that stored bytes mean; in a perturbed run moved as an input is. Powers of
// two are exponents that were put together, and exact.
at::Tensor ExactArithmetic::read(const at::Tensor& bits, at::ScalarType dtype) {
  const at::Tensor native = bits.view(dtype);
  if (!is_mapped(dtype)) return native;
  at::Tensor wide = native.to(mapped(dtype)).contiguous();
  if (const auto known = dtype_of(dtype)) {
    finest_read_ = std::min(finest_read_, unit_roundoff(*known));
    if (how_.perturbation > 0 && !are_powers_of_two(wide)) perturb(wide, how_, first_read + reads_);
  }
  ++reads_;
  return wide;
}

namespace {

// Tells whether more than a byte of a float's bits is read at once, to calculate; bytes are stored.
bool is_arithmetic_of_bits(const BitView& view, bool is_to_float) {
  return is_mapped(view.from) && !is_to_float && at::elementSize(view.from) > 1 &&
         at::elementSize(view.to) > 1;
}

}  // namespace

// Handles x.view(dtype). The bits of a mapped tensor are not those that the text means: the numbers
// that stored bytes mean are taken, and a number's bytes are its native ones.
void ExactArithmetic::reinterpret(const OperatorHandle& op, Stack& stack) {
  const c10::impl::ExcludeDispatchKeyGuard helpers(c10::DispatchKey::TESTING_ONLY_GenericMode);
  const auto asked = static_cast<at::ScalarType>(stack.back().toInt());
  const at::Tensor self = stack[stack.size() - 2].toTensor();
  const bool is_from_float = self.is_floating_point() || self.is_complex();
  const bool is_to_float = asked == at::kDouble || is_mapped(asked);
  if (!is_from_float && !is_to_float && views_ == nullptr) return run_unwatched(op, stack);
  const std::optional<BitView> view = meant(self.scalar_type(), asked);
  refused_bits_ = !view || is_arithmetic_of_bits(*view, is_to_float);
  TORCH_CHECK(!refused_bits_, "the reference reinterprets the bits of a float");
  torch::jit::drop(stack, 2);
  if (view->from == view->to) return torch::jit::push(stack, self);
  const at::Tensor result = read(stored(self, *view), view->to);
  if (is_mapped(view->from) || is_mapped(view->to)) watch_writes(result);
  torch::jit::push(stack, result);
}

}  // namespace kbench
