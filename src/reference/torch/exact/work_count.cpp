#include "reference/torch/exact/work_count.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <string_view>

#include "base/words.hpp"

namespace kbench {
namespace {

using c10::IValue;
using c10::OperatorHandle;

constexpr std::string_view copies_that_read[] = {"aten::clone", "aten::_to_copy"};

// Operators that take from their first argument the elements that the others say.
constexpr std::string_view pickers[] = {"aten::index", "aten::index_select", "aten::gather",
                                        "aten::embedding", "aten::take"};

// Limit of elements: a list of their numbers would be too large, and what is picked of more is not
// counted.
constexpr std::int64_t most_numbered = std::int64_t{1} << 26;

bool is_view(const c10::FunctionSchema& schema) {
  if (schema.returns().empty()) return false;
  const c10::AliasInfo* alias = schema.returns().front().alias_info();
  return alias != nullptr && !alias->isWrite();
}

// Operators that use a tensor's shape and dtype alone: aten::empty_like, aten::new_zeros.
bool takes_form_alone(std::string_view name) {
  return name.ends_with("_like") || name.starts_with("aten::new_");
}

}  // namespace

ReadCount::ReadCount(const std::vector<IValue>& inputs) {
  for (const IValue& value : inputs) {
    if (!has_memory(value)) continue;
    const at::Tensor& tensor = value.toTensor();
    const c10::Storage& storage = tensor.storage();
    const std::size_t bytes = tensor.element_size();
    sources_.insert_or_assign(storage.unsafeGetStorageImpl(),
                              Source{inputs_.size(), 0, bytes, storage.getWeakStorageImpl()});
    const auto elements = static_cast<std::int64_t>(storage.nbytes() / bytes);
    inputs_.push_back({at::zeros({elements}, at::kBool), static_cast<std::int64_t>(bytes)});
  }
}

const ReadCount::Source* ReadCount::source_of(const at::Tensor& tensor) const {
  const auto found = sources_.find(tensor.storage().unsafeGetStorageImpl());
  if (found == sources_.end()) return nullptr;
  const auto element_bytes = static_cast<std::size_t>(tensor.element_size());
  const bool is_other_view = found->second.element_bytes != element_bytes;
  return is_other_view ? nullptr : &found->second;
}

bool ReadCount::follow(const at::Tensor& from, const at::Tensor& copy) {
  const Source* source = source_of(from);
  if (source == nullptr) return false;
  if (!from.is_non_overlapping_and_dense() || from.strides() != copy.strides()) return false;
  const std::int64_t shift = source->shift + from.storage_offset() - copy.storage_offset();
  const auto bytes = static_cast<std::size_t>(copy.element_size());
  sources_.insert_or_assign(
      copy.storage().unsafeGetStorageImpl(),
      Source{source->input, shift, bytes, copy.storage().getWeakStorageImpl()});
  return true;
}

void ReadCount::read_tensor(const at::Tensor& tensor) {
  const Source* source = source_of(tensor);
  if (source == nullptr || tensor.numel() == 0) return;
  std::vector<std::int64_t> sizes = tensor.sizes().vec();
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (tensor.stride(static_cast<std::int64_t>(i)) == 0) sizes[i] = 1;  // expanded
  inputs_[source->input]
      .was_read.as_strided(sizes, tensor.strides(), tensor.storage_offset() + source->shift)
      .fill_(true);
}

// Runs the operator itself to see its picks, on elements that are their own numbers.
void ReadCount::read_picked(const OperatorHandle& op, const Given& given) {
  const at::Tensor& tensor = given.front().toTensor();
  const Source* source = source_of(tensor);
  if (source == nullptr) return;
  at::Tensor& was_read = inputs_[source->input].was_read;
  if (was_read.numel() > most_numbered) return;
  torch::jit::Stack stack(given.begin(), given.end());
  stack.front() =
      at::arange(was_read.numel(), at::kInt)
          .as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset() + source->shift);
  op.callBoxed(&stack);
  was_read.index_fill_(0, stack.front().toTensor().reshape(-1).to(at::kLong), true);
}

void ReadCount::read(const IValue& value) {
  if (has_memory(value)) return read_tensor(value.toTensor());
  if (value.isTuple()) {
    for (const IValue& one : value.toTupleRef().elements()) read(one);
  } else if (value.isList()) {
    for (const IValue& one : value.toListRef()) read(one);
  }
}

// Tells whether the first argument needs no reading: its picks are marked, its copy is followed.
bool ReadCount::read_first(const OperatorHandle& op, const Given& given,
                           c10::ArrayRef<IValue> results) {
  if (!has_memory(given.front())) return false;
  const std::string_view name = op.schema().name();
  if (is_one_of(name, pickers)) {
    read_picked(op, given);
    return true;
  }
  return is_one_of(name, copies_that_read) && !results.empty() && has_memory(results.front()) &&
         follow(given.front().toTensor(), results.front().toTensor());
}

void ReadCount::add(const OperatorHandle& op, const Given& given, c10::ArrayRef<IValue> results) {
  const c10::FunctionSchema& schema = op.schema();
  if (is_view(schema) || takes_form_alone(schema.name()) || given.empty()) return;
  for (std::size_t i = read_first(op, given, results) ? 1 : 0; i < given.size(); ++i) {
    const c10::AliasInfo* alias = schema.arguments()[i].alias_info();
    if (alias == nullptr || !alias->isWrite()) read(given[i]);
  }
}

double ReadCount::bytes() const {
  double bytes = 0;
  for (const Input& input : inputs_) {
    bytes += static_cast<double>(input.was_read.sum().item<std::int64_t>()) *
             static_cast<double>(input.element_bytes);
  }
  return bytes;
}

namespace {

using torch::jit::Stack;
using Tensors = std::vector<at::Tensor>;  // arguments of an operator, undefined if not tensors

double count_if_defined(const at::Tensor& tensor) {
  return tensor.defined() ? static_cast<double>(tensor.numel()) : 0;
}

double extent(const at::Tensor& tensor, std::int64_t axis) {
  return tensor.dim() == 0 ? 1 : static_cast<double>(tensor.size(axis));
}

// Counts [..., m, k] by [..., k, n], or vectors in either place.
double product(const at::Tensor& a, const at::Tensor& b) {
  return 2 * count_if_defined(a) * (b.dim() < 2 ? 1 : extent(b, -1));
}

double convolution(const Tensors& given, const at::Tensor& result, bool transposed) {
  const at::Tensor& weight = given[1];
  const double each = count_if_defined(weight) / std::max(extent(weight, 0), 1.0);
  return 2 * count_if_defined(transposed ? given[0] : result) * each;
}

double attention(const Tensors& given) {
  const at::Tensor &q = given[0], &k = given[1], &v = given[2];
  const double rows = count_if_defined(q) / std::max(extent(q, -1), 1.0);
  return 2 * rows * extent(k, -2) * (extent(q, -1) + extent(v, -1));
}

struct MultipliedArguments {
  std::string_view name;
  std::size_t left, right;  // indices of the multiplied arguments
};
constexpr MultipliedArguments multiplied_arguments[] = {
    {"aten::mm", 0, 1},     {"aten::bmm", 0, 1},     {"aten::mv", 0, 1},
    {"aten::dot", 0, 1},    {"aten::vdot", 0, 1},    {"aten::addmm", 1, 2},
    {"aten::addmv", 1, 2},  {"aten::baddbmm", 1, 2}, {"aten::addbmm", 1, 2},
    {"aten::addmm_", 1, 2}, {"aten::addmv_", 1, 2},  {"aten::baddbmm_", 1, 2},
    {"aten::addbmm_", 1, 2}};

constexpr std::string_view reductions[] = {"aten::sum",
                                           "aten::mean",
                                           "aten::prod",
                                           "aten::amax",
                                           "aten::amin",
                                           "aten::max",
                                           "aten::min",
                                           "aten::argmax",
                                           "aten::argmin",
                                           "aten::all",
                                           "aten::any",
                                           "aten::var",
                                           "aten::std",
                                           "aten::var_mean",
                                           "aten::std_mean",
                                           "aten::logsumexp",
                                           "aten::cumsum",
                                           "aten::cumprod",
                                           "aten::norm",
                                           "aten::linalg_vector_norm",
                                           "aten::_softmax",
                                           "aten::_log_softmax",
                                           "aten::nansum",
                                           "aten::aminmax",
                                           "aten::count_nonzero",
                                           "aten::native_layer_norm",
                                           "aten::native_group_norm",
                                           "aten::_fused_rms_norm"};

// Operators that only move, though LibTorch calls them element-wise.
constexpr std::string_view moves[] = {"aten::clone", "aten::copy",  "aten::copy_",   "aten::fill",
                                      "aten::fill_", "aten::zero_", "aten::_to_copy"};

double work_of(const OperatorHandle& op, const Tensors& given, const at::Tensor& result,
               bool transposed) {
  const std::string_view name = op.schema().name();
  for (const MultipliedArguments& row : multiplied_arguments)
    if (row.name == name) return product(given[row.left], given[row.right]);
  if (name == "aten::convolution") return convolution(given, result, transposed);
  if (name.substr(0, 35) == "aten::_scaled_dot_product_flash_att") return attention(given);
  if (is_one_of(name, reductions)) return given.empty() ? 0 : count_if_defined(given[0]);
  if (op.hasTag(at::Tag::pointwise) && !is_one_of(name, moves)) return count_if_defined(result);
  return 0;
}

// Index of the flag in a convolution's arguments: input, weight, bias, stride, padding, dilation,
// transposed, …
constexpr std::size_t transposed_at = 6;

}  // namespace

void WorkCount::run(const OperatorHandle& op, c10::DispatchKeySet keys, Stack& stack) {
  if (op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd))
    return run_parts_watched(op, keys, stack);
  const auto arguments = static_cast<std::ptrdiff_t>(op.schema().arguments().size());
  const std::vector<c10::IValue> given(stack.end() - arguments, stack.end());
  Tensors tensors;
  for (const c10::IValue& value : given)
    tensors.push_back(value.isTensor() ? value.toTensor() : at::Tensor());
  const bool transposed = given.size() > transposed_at && given[transposed_at].isBool() &&
                          given[transposed_at].toBool();
  const WatchNothing unwatched;
  uses_.before(op, given);
  op.callBoxed(&stack);
  const c10::ArrayRef<c10::IValue> all(stack);
  const auto results = all.slice(stack.size() - op.schema().returns().size());
  const bool has_tensor = !results.empty() && results.front().isTensor();
  flops_ +=
      work_of(op, tensors, has_tensor ? results.front().toTensor() : at::Tensor(), transposed);
  reads_.add(op, given, results);
  uses_.after(op, given, results);
}

double WorkCount::bytes_read(const c10::IValue& returned) {
  const WatchNothing unwatched;
  reads_.read(returned);
  return reads_.bytes();
}

}  // namespace kbench
