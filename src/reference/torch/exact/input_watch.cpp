#include "reference/torch/exact/input_watch.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/words.hpp"
#include "reference/torch/exact/operator_names.hpp"

namespace kbench {
namespace {

using c10::IValue;
using c10::OperatorHandle;

// Operators whose result has elements of their first argument, or of several.
constexpr std::string_view copies[] = {"clone",        "_to_copy", "index",  "where", "masked_fill",
                                       "index_select", "flip",     "repeat", "cat"};

constexpr std::string_view comparisons[] = {"eq", "ne"};

constexpr std::string_view divisions[] = {"floor_divide", "remainder", "fmod", "div"};

constexpr std::string_view losses[] = {"nll_loss_forward", "nll_loss2d_forward"};

// Operators on integers that double precision can say the result of.
constexpr std::string_view integer_sums[] = {"add",    "sub",  "mul",     "neg",  "sum",
                                             "cumsum", "prod", "cumprod", "mm",   "bmm",
                                             "dot",    "pow",  "abs",     "rsub", "_to_copy"};

constexpr std::string_view factories[] = {"empty",     "empty_like",        "empty_strided",
                                          "new_empty", "new_empty_strided", "empty_permuted"};

// Arguments of an operator whose elements are indices into an axis of its first argument.
struct IndexArgument {
  std::string_view name;
  std::size_t index;
  std::optional<std::size_t> axis;  // the argument that says it; none: the first axis
};
constexpr IndexArgument index_arguments[] = {
    {"gather", 2, 1},         {"scatter", 2, 1},      {"scatter_add", 2, 1},
    {"scatter_reduce", 2, 1}, {"index_add", 2, 1},    {"index_copy", 2, 1},
    {"index_fill", 2, 1},     {"index_select", 2, 1}, {"embedding", 1, {}}};

std::optional<std::int64_t> whole_number(const IValue& value) {
  if (value.isInt()) return value.toInt();
  if (value.isScalar() && value.toScalar().isIntegral(false)) return value.toScalar().toLong();
  if (is_index(value) && value.toTensor().numel() == 1) return value.toTensor().item().toLong();
  return std::nullopt;
}

void add_once(std::vector<std::int64_t>& numbers, std::int64_t number) {
  constexpr std::size_t most = 16;
  if (numbers.size() < most && std::find(numbers.begin(), numbers.end(), number) == numbers.end())
    numbers.push_back(number);
}

// Returns the result on doubles; nothing where the operator takes none.
std::optional<at::Tensor> in_double(const OperatorHandle& op, std::vector<IValue> given) try {
  torch::jit::Stack stack;
  for (IValue& value : given)
    stack.push_back(is_index(value) ? IValue(value.toTensor().to(at::kDouble)) : value);
  op.callBoxed(&stack);
  return stack.empty() || !has_memory(stack.front()) ? std::nullopt
                                                     : std::optional(stack.front().toTensor());
} catch (const std::exception&) {
  return std::nullopt;
}

bool differ(const at::Tensor& integers, const at::Tensor& doubles) {
  if (integers.sizes() != doubles.sizes() || integers.numel() == 0) return false;
  const at::Tensor as_double = integers.to(at::kDouble);
  const at::Tensor wrong = (as_double - doubles).abs() > doubles.abs() * 1e-9;
  return wrong.any().item<bool>();
}

}  // namespace

InputWatch::InputWatch(const std::vector<IValue>& inputs) : uses_(inputs.size()) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!has_memory(inputs[i])) continue;
    const c10::Storage& storage = inputs[i].toTensor().storage();
    sources_.insert_or_assign(storage.unsafeGetStorageImpl(),
                              Source{i, storage.getWeakStorageImpl()});
  }
}

std::optional<std::size_t> InputWatch::source_of(const IValue& value) const {
  if (!has_memory(value)) return std::nullopt;
  const auto found = sources_.find(value.toTensor().storage().unsafeGetStorageImpl());
  return found == sources_.end() ? std::nullopt : std::optional(found->second.input);
}

SeenUse* InputWatch::use_of(const IValue& value) {
  const auto source = source_of(value);
  return source ? &uses_[*source] : nullptr;
}

void InputWatch::note_index(const IValue& index, std::int64_t length) {
  SeenUse* const use = is_index(index) ? use_of(index) : nullptr;
  if (use != nullptr) use->index_of = std::min(use->index_of.value_or(length), length);
}

// Notes the indices of x[i, j] and of x[i, j] = y, one for each of the first axes.
void InputWatch::note_indices(const Given& given) {
  if (given.size() < 2 || !has_memory(given[0]) || !given[1].isList()) return;
  const at::Tensor& tensor = given[0].toTensor();
  std::int64_t axis = 0;
  for (const IValue& index : given[1].toListRef()) {
    if (axis >= tensor.dim()) return;
    note_index(index, tensor.size(axis));
    const bool is_mask = has_memory(index) && !is_index(index);
    axis += is_mask ? std::max<std::int64_t>(index.toTensor().dim(), 1) : 1;
  }
}

void InputWatch::note_comparison(const Given& given) {
  if (given.size() < 2 || !is_index(given[0])) return;
  SeenUse* const use = use_of(given[0]);
  if (use == nullptr || source_of(given[1])) return;
  if (const auto number = whole_number(given[1])) add_once(use->compared, *number);
}

void InputWatch::note_matrix(std::string_view name, const Given& given) {
  const auto note = [this](const IValue& value, InputNeed need) {
    if (SeenUse* const use = use_of(value)) use->need = need;
  };
  if (name == "bucketize" && given.size() > 1) note(given[1], InputNeed::sorted);
  if (name == "searchsorted" && !(given.size() > 5 && given[5].isTensor()))
    note(given[0], InputNeed::sorted);
  if (name.starts_with("_linalg_eigh")) note(given[0], InputNeed::symmetric);
  if (name.starts_with("linalg_cholesky") || name == "cholesky")
    note(given[0], InputNeed::definite);
}

void InputWatch::note_index_arguments(std::string_view name, const Given& given) {
  if (!has_memory(given[0]) || given[0].toTensor().dim() == 0) return;
  const at::Tensor& tensor = given[0].toTensor();
  for (const IndexArgument& row : index_arguments)
    if (row.name == name)
      note_index(given[row.index], tensor.size(row.axis ? given[*row.axis].toInt() : 0));
}

// Notes the targets of a loss, and the one that it passes over.
void InputWatch::note_targets(const Given& given) {
  const at::Tensor& scores = given[0].toTensor();
  note_index(given[1], scores.size(scores.dim() == 1 ? 0 : 1));
  if (SeenUse* const use = use_of(given[1])) add_once(use->compared, given[4].toInt());
}

void InputWatch::note_divisor(const Given& given) {
  if (given.size() < 2 || !is_index(given[0]) || !is_index(given[1])) return;
  if (SeenUse* const use = use_of(given[1])) use->need = InputNeed::not_zero;
}

void InputWatch::before(const OperatorHandle& op, const Given& given) {
  expected_.reset();
  if (given.empty()) return;
  const std::string_view name = bare_name(op);
  if (is_one_of(name, comparisons)) note_comparison(given);
  if (is_one_of(name, {"index", "index_put"})) note_indices(given);
  if (is_one_of(name, losses)) note_targets(given);
  if (is_one_of(name, divisions)) note_divisor(given);
  note_index_arguments(name, given);
  note_matrix(name, given);
  if (is_one_of(name, integer_sums) && is_index(given[0])) expected_ = in_double(op, given);
}

void InputWatch::follow(std::string_view name, const Given& given, const IValue& result) {
  if (!is_one_of(name, copies) || !has_memory(result)) return;
  for (const IValue& value : given) {
    const auto source = source_of(value);
    if (!source || value.toTensor().scalar_type() == at::kBool ||
        value.toTensor().is_floating_point() != result.toTensor().is_floating_point())
      continue;
    if (&value != &given.front() && name != "where") continue;  // an index of the first
    const c10::Storage& storage = result.toTensor().storage();
    sources_.insert_or_assign(storage.unsafeGetStorageImpl(),
                              Source{*source, storage.getWeakStorageImpl()});
    return;
  }
}

void InputWatch::after(const OperatorHandle& op, const Given& given,
                       c10::ArrayRef<IValue> results) {
  if (results.empty() || !has_memory(results.front())) return;
  const at::Tensor& result = results.front().toTensor();
  const std::string_view name = bare_name(op);
  const bool is_draw = name == "multinomial";
  draws_ = draws_ || is_draw;
  const bool is_random = op.hasTag(at::Tag::nondeterministic_seeded) && !is_draw;
  if (is_random || is_one_of(name, factories)) unsteady_ = name;
  if (expected_ && is_index(results.front())) wraps_ = wraps_ || differ(result, *expected_);
  follow(name, given, results.front());
}

void UnwrittenFill::run(const OperatorHandle& op, c10::DispatchKeySet keys,
                        torch::jit::Stack& stack) {
  if (op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd))
    return run_parts_watched(op, keys, stack);
  run_unwatched(op, stack);
  if (!is_one_of(bare_name(op), factories) || !has_memory(stack.back())) return;
  const at::Tensor& made = stack.back().toTensor();
  const int byte = made.scalar_type() == at::kBool ? byte_ & 1 : byte_;
  std::memset(made.storage().mutable_data(), byte, made.storage().nbytes());
}

}  // namespace kbench
