#include "torch/exact_answer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>

#include "torch/reference_function.hpp"
#include "torch/scalar_type.hpp"

namespace kbench {
namespace {

constexpr std::size_t page = 4096;

std::size_t whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

DType known_dtype(const at::Tensor& tensor) {
  if (const auto dtype = dtype_of(tensor.scalar_type())) return *dtype;
  throw RaisedError(std::string("an output is ") + c10::toString(tensor.scalar_type()), 0);
}

// Without its place in memory.
ExactOutput describe(const at::Tensor& tensor) {
  ExactOutput output;
  output.is_floating = tensor.scalar_type() == at::kDouble;
  output.shape = tensor.sizes().vec();
  output.bytes = tensor.nbytes();
  if (output.is_floating) return output;
  output.dtype = known_dtype(tensor);
  if (output.dtype == DType::float4_e2m1 && !output.shape.empty()) output.shape.back() *= 2;
  return output;
}

}  // namespace

ExactAnswerMemory::ExactAnswerMemory(const std::vector<at::Tensor>& tensors) {
  std::size_t total = 0;
  for (const at::Tensor& tensor : tensors) {
    ExactOutput output = describe(tensor);
    output.offset = total;
    total += whole_pages(output.bytes);
    output.gauge_offset = total;
    if (output.is_floating) total += whole_pages(output.bytes);
    outputs_.push_back(std::move(output));
  }
  memory_ = SharedMemory("kbench exact outputs", total);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (outputs_[i].bytes == 0) continue;
    const at::Tensor whole = tensors[i].contiguous();
    std::memcpy(memory_.data() + outputs_[i].offset, whole.const_data_ptr(), outputs_[i].bytes);
  }
}

void ExactAnswerMemory::add(const std::vector<at::Tensor>& perturbed) {
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (!outputs_[i].is_floating) continue;
    if (perturbed[i].sizes() != at::IntArrayRef(outputs_[i].shape)) {
      throw RaisedError("the shape of an output depends on how its inputs are rounded", 0);
    }
    const at::Tensor whole = perturbed[i].contiguous();
    const double* other = whole.const_data_ptr<double>();
    const auto [value, gauge] = arrays(outputs_[i]);
    for (std::size_t k = 0; k < outputs_[i].bytes / sizeof(double); ++k) {
      const double difference = other[k] - value[k];
      if (std::isfinite(difference)) gauge[k] += difference * difference;
    }
  }
}

void ExactAnswerMemory::finish(int runs, double roundoff) {
  if (runs == 0) return;
  const double scale = std::numbers::sqrt3 / roundoff;
  for (const ExactOutput& output : outputs_) {
    const std::size_t count = output.bytes / sizeof(double);
    if (!output.is_floating || count == 0) continue;
    double* gauge = arrays(output).second;
    for (std::size_t k = 0; k < count; ++k) gauge[k] = scale * std::sqrt(gauge[k] / runs);
  }
}

void ExactAnswerMemory::move_to(ExecuteResult& result) {
  result.reply.exact = std::move(outputs_);
  result.outputs = std::move(memory_);
}

std::pair<const double*, double*> ExactAnswerMemory::arrays(const ExactOutput& output) {
  return {reinterpret_cast<const double*>(memory_.data() + output.offset),
          reinterpret_cast<double*>(memory_.data() + output.gauge_offset)};
}

}  // namespace kbench
