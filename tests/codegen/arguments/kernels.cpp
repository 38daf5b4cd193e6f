// Kernels of kernels.yaml: they write down, as float64, what they are given.
#include <stdexcept>
#include <vector>

#include "kbench_kernel.h"

namespace own::native {
using namespace kbench::kernels;

namespace {

void write(KernelRuntimeContext& context, const std::vector<double>& values, Tensor& out) {
  const SizesType size[] = {static_cast<SizesType>(values.size())};
  const Error error = resize_tensor(out, size);
  if (error != Error::Ok) return fail(context, error, "out cannot be resized");
  for (size_t i = 0; i < values.size(); ++i) out.mutable_data_ptr<double>()[i] = values[i];
}

double kind(const Scalar& scalar) {
  if (scalar.isBoolean()) return scalar.to<bool>() ? 1001 : 1000;
  return scalar.isFloatingPoint() ? scalar.to<double>() : 2000.0 + scalar.to<double>();
}

}  // namespace

Tensor& lists_out(KernelRuntimeContext& context, ArrayRef<std::optional<Tensor>> tensors,
                  ArrayRef<std::string_view> words, ArrayRef<Scalar> numbers, Tensor& out) {
  KBENCH_KERNEL_CHECK(context, words.empty() || words[0] != "fail", InvalidArgument, out,
                      "as it was asked to");
  std::vector<double> values;
  for (const auto& tensor : tensors)
    values.push_back(tensor ? tensor->const_data_ptr<double>()[0] : -1);
  for (const std::string_view word : words) values.push_back(static_cast<double>(word.size()));
  for (const Scalar& number : numbers) values.push_back(kind(number));
  write(context, values, out);
  return out;
}

Tensor& numbers_out(KernelRuntimeContext& context, ArrayRef<bool> flags,
                    std::optional<ArrayRef<double>> floats, std::optional<int64_t> k, Tensor& out) {
  std::vector<double> values;
  for (const bool flag : flags) values.push_back(flag ? 1 : 0);
  if (floats) values.insert(values.end(), floats->begin(), floats->end());
  values.push_back(k ? static_cast<double>(*k) : -2);
  write(context, values, out);
  return out;
}

Tensor& kinds_out(KernelRuntimeContext& context, Device device, MemoryFormat format,
                  ScalarType type, Tensor& out) {
  write(context,
        {static_cast<double>(device.type), static_cast<double>(device.index),
         static_cast<double>(format), static_cast<double>(type)},
        out);
  return out;
}

Tensor& maybe_out(KernelRuntimeContext& context, const std::optional<Tensor>& tensor,
                  std::optional<std::string_view> word, const std::optional<Scalar>& number,
                  Tensor& out) {
  write(context,
        {tensor ? static_cast<double>(tensor->dim()) : -1,
         word ? static_cast<double>(word->size()) : -2, number ? kind(*number) : -3},
        out);
  return out;
}

// Writes the dim order, and behind it the strides.
Tensor& order_out(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  std::vector<double> values(self.dim_order().begin(), self.dim_order().end());
  values.insert(values.end(), self.strides().begin(), self.strides().end());
  write(context, values, out);
  return out;
}

Tensor& pad_out(KernelRuntimeContext& context, const Tensor& a, const Tensor&, int64_t m,
                bool twice, Tensor& out) {
  const SizesType sizes[] = {a.sizes()[0], static_cast<SizesType>(twice ? 2 * m : m)};
  if (resize_tensor(out, sizes) != Error::Ok) fail(context, Error::Internal, "out stays");
  return out;
}

Tensor& scale_(KernelRuntimeContext& context, Tensor& self, const Scalar& by) {
  const SizesType larger[] = {self.numel() + 1};
  if (resize_tensor(self, larger) == Error::Ok)
    fail(context, Error::Internal, "self was resized in place");
  for (int64_t i = 0; i < self.numel(); ++i)
    self.mutable_data_ptr<double>()[i] *= by.isFloatingPoint() ? by.to<double>() : 0;
  return self;
}

void fill(KernelRuntimeContext&, Tensor& cache, double value) {
  for (int64_t i = 0; i < cache.numel(); ++i) cache.mutable_data_ptr<double>()[i] = value;
}

// Writes one element of a vector to each output.
void split_out(KernelRuntimeContext& context, const Tensor& self, TensorList out) {
  for (size_t i = 0; i < out.size(); ++i) {
    Tensor one = out[i];
    write(context, {self.const_data_ptr<double>()[i]}, one);
  }
}

Tensor& fail_out(KernelRuntimeContext& context, const Tensor&, int64_t how, Tensor& out) {
  if (how == 0) fail(context, Error::InvalidArgument, "as it was asked to");
  if (how == 1) context.fail(Error::NotSupported);
  if (how == 2) throw std::runtime_error("thrown by the kernel");
  if (how == 3) {
    write(context, std::vector<double>(1000, 1.0), out);
    fail(context, Error::Internal, "after it grew");
  }
  return out;
}

#define WHICH(name, number)                                                                \
  Tensor& name(KernelRuntimeContext& context, const Tensor&, const std::optional<Tensor>&, \
               Tensor& out) {                                                              \
    write(context, {number}, out);                                                         \
    return out;                                                                            \
  }
WHICH(first_out, 1)
WHICH(second_out, 2)
WHICH(third_out, 3)
WHICH(fourth_out, 4)

Tensor& quantized_out(KernelRuntimeContext&, const Tensor&, Tensor& out) { return out; }

}  // namespace own::native
