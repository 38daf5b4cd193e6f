#include "reference/torch/exact/read_count.hpp"

#include <ATen/ATen.h>

#include <string_view>

#include "base/words.hpp"

namespace kbench {
namespace {

using c10::IValue;
using c10::OperatorHandle;

constexpr std::string_view copies_that_read[] = {"aten::clone", "aten::_to_copy"};

// They take from their first argument what the others say.
constexpr std::string_view pickers[] = {"aten::index", "aten::index_select", "aten::gather",
                                        "aten::embedding", "aten::take"};

// More elements would make a list of their numbers too large: what is picked of them is not
// counted.
constexpr std::int64_t most_numbered = std::int64_t{1} << 26;

bool is_view(const c10::FunctionSchema& schema) {
  if (schema.returns().empty()) return false;
  const c10::AliasInfo* alias = schema.returns().front().alias_info();
  return alias != nullptr && !alias->isWrite();
}

// Only the shape and dtype of a tensor count: aten::empty_like, aten::new_zeros.
bool takes_form_alone(std::string_view name) {
  return name.ends_with("_like") || name.starts_with("aten::new_");
}

bool has_memory(const IValue& value) {
  return value.isTensor() && value.toTensor().defined() && value.toTensor().has_storage();
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

// The operator itself says what it picks, of elements that are their own numbers.
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

// Whether it was read by what it is, so that only the other arguments are left.
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

}  // namespace kbench
