#include "reference/torch/serving/outputs.hpp"

#include <ATen/ATen.h>

#include <cstring>
#include <utility>

#include "problem/tensor_view.hpp"
#include "reference/torch/exact/exact_arithmetic.hpp"
#include "reference/torch/exact/scalar_type.hpp"

namespace kbench {
namespace {

std::string counted(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " output" : " outputs");
}

at::Tensor as_tensor(const c10::IValue& value, const ReferenceResult& declared,
                     Arithmetic arithmetic) {
  if (value.isTensor() && value.toTensor().defined()) return value.toTensor();
  const at::ScalarType dtype = scalar_type(declared.dtype);
  const auto options =
      at::TensorOptions().dtype(arithmetic == Arithmetic::exact ? mapped(dtype) : dtype);
  if (value.isBool()) return at::scalar_tensor(value.toBool(), options);
  if (value.isInt()) return at::scalar_tensor(value.toInt(), options);
  if (value.isDouble()) return at::scalar_tensor(value.toDouble(), options);
  throw WrongOutputs("output \"" + declared.name + "\" is " +
                     (value.isNone() ? "None" : "a " + value.tagKind()) + ", not a tensor");
}

ReferenceOutput describe(const at::Tensor& tensor, const std::string& name) {
  const auto dtype = dtype_of(tensor.scalar_type());
  if (!dtype) {
    throw WrongOutputs("output \"" + name + "\" is " + c10::toString(tensor.scalar_type()) +
                       ", which no Definition can declare");
  }
  if (tensor.layout() != at::kStrided || !tensor.device().is_cpu()) {
    throw WrongOutputs("output \"" + name + "\" is no dense tensor on the CPU");
  }
  ReferenceOutput output{*dtype, tensor.sizes().vec(), 0, tensor.nbytes()};
  if (*dtype == DType::float4_e2m1 && !output.shape.empty()) output.shape.back() *= 2;
  return output;
}

}  // namespace

ExecuteResult copy_native(const std::vector<at::Tensor>& tensors,
                          const std::vector<std::string>& names, std::uint64_t limit) {
  ExecuteResult result;
  std::size_t total = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    ReferenceOutput output = describe(tensors[i], names[i]);
    output.offset = total;
    total += (output.bytes + page_bytes - 1) / page_bytes * page_bytes;
    result.reply.outputs.push_back(std::move(output));
  }
  if (limit > 0 && total > limit) throw std::bad_alloc();
  result.outputs = SharedMemory("kbench reference outputs", total);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const ReferenceOutput& output = result.reply.outputs[i];
    if (output.bytes == 0) continue;
    const at::Tensor contiguous = tensors[i].resolve_conj().resolve_neg().contiguous();
    std::memcpy(result.outputs.data() + output.offset, contiguous.const_data_ptr(), output.bytes);
  }
  return result;
}

at::ScalarType scalar_type(DType dtype) {
  return static_cast<at::ScalarType>(info(dtype).scalar_type);
}

std::optional<DType> dtype_of(at::ScalarType type) {
  for (const DTypeInfo& row : dtypes())
    if (scalar_type(row.dtype) == type) return row.dtype;
  return std::nullopt;
}

std::vector<c10::IValue> split_outputs(const c10::IValue& value,
                                       const std::vector<ReferenceResult>& declared) {
  std::vector<c10::IValue> values;
  if (value.isGenericDict()) {
    const auto dict = value.toGenericDict();
    for (const ReferenceResult& output : declared) {
      const auto found = dict.find(c10::IValue(output.name));
      if (found == dict.end()) {
        throw WrongOutputs("run() returned a dict without \"" + output.name + "\"");
      }
      values.push_back(found->value());
    }
    return values;
  }
  if (value.isTuple()) {
    values = value.toTupleRef().elements().vec();
  } else if (value.isList()) {
    values = value.toListRef().vec();
  } else {
    values = {value};
  }
  if (values.size() != declared.size()) {
    throw WrongOutputs("run() returned " + counted(values.size()) + ", the Definition declares " +
                       std::to_string(declared.size()));
  }
  return values;
}

std::vector<at::Tensor> output_tensors(const c10::IValue& value, const ReferenceRequest& request) {
  const std::vector<c10::IValue> values = split_outputs(value, request.outputs);
  std::vector<at::Tensor> tensors;
  for (std::size_t i = 0; i < values.size(); ++i) {
    at::Tensor tensor = as_tensor(values[i], request.outputs[i], request.arithmetic);
    const bool is_exact = request.arithmetic == Arithmetic::exact;
    tensors.push_back(is_exact ? tensor.to(mapped(tensor.scalar_type())) : tensor);
  }
  return tensors;
}

ExecuteResult collect_outputs(const c10::IValue& value, const ReferenceRequest& request) {
  std::vector<std::string> names;
  for (const ReferenceResult& output : request.outputs) names.push_back(output.name);
  return copy_native(output_tensors(value, request), names, request.bytes);
}

}  // namespace kbench
