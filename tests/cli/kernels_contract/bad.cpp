// Kernels that negate, each of which breaks one promise; "good" breaks none.
#include <cstdlib>
#include <stdexcept>

#include "kbench_kernel.h"

namespace bad::native {
namespace {

using namespace kbench::kernels;

// What a right kernel does: strides are taken as they are, sizes and types are checked.
bool is_refused(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  const bool is_good = self.scalar_type() == ScalarType::Float &&
                       out.scalar_type() == ScalarType::Float &&
                       resize_tensor(out, self.sizes()) == Error::Ok;
  if (!is_good) fail(context, Error::InvalidArgument, "self and out must be Float, of one size");
  return !is_good;
}

template <typename Function>
void each(const Tensor& self, const Tensor& out, const Function& function) {
  const int64_t columns = self.size(1);
  const float* const from = self.const_data_ptr<float>();
  float* const to = out.mutable_data_ptr<float>();
  for (int64_t i = 0; i < self.size(0) * columns; ++i) {
    const int64_t row = i / columns;
    const int64_t column = i % columns;
    to[row * out.strides()[0] + column * out.strides()[1]] =
        function(from[row * self.strides()[0] + column * self.strides()[1]]);
  }
}

float negated(float x) { return -x; }

}  // namespace

Tensor& good(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (!is_refused(context, self, out)) each(self, out, negated);
  return out;
}

Tensor& zeros(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (!is_refused(context, self, out)) each(self, out, [](float) { return 0.0F; });
  return out;
}

Tensor& past_end(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (is_refused(context, self, out)) return out;
  each(self, out, negated);
  out.mutable_data_ptr<float>()[out.numel()] = 1;
  return out;
}

Tensor& changes_input(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (is_refused(context, self, out)) return out;
  each(self, self, negated);
  each(self, out, [](float x) { return x; });
  return out;
}

// The first result, whatever comes later.
Tensor& remembers(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  static float first = 0;
  static bool is_known = false;
  if (is_refused(context, self, out)) return out;
  each(self, out, negated);
  if (self.numel() == 0) return out;
  if (!is_known) first = out.const_data_ptr<float>()[0];
  is_known = true;
  out.mutable_data_ptr<float>()[0] = first;
  return out;
}

// As if the input always lay in the order of its dimensions.
Tensor& ignores_order(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (is_refused(context, self, out)) return out;
  const float* next = self.const_data_ptr<float>();
  each(self, out, [&](float) { return -*next++; });
  return out;
}

// Bytes of floats in tensors of anything.
Tensor& ignores_type(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (resize_tensor(out, self.sizes()) != Error::Ok) {
    fail(context, Error::InvalidArgument, "out has the wrong sizes");
    return out;
  }
  each(self, out, negated);
  return out;
}

Tensor& aborts(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (is_refused(context, self, out)) std::abort();
  each(self, out, negated);
  return out;
}

Tensor& throws(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (is_refused(context, self, out)) throw std::runtime_error("self and out differ");
  each(self, out, negated);
  return out;
}

Tensor& never_resizes(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (self.scalar_type() != ScalarType::Float || out.scalar_type() != ScalarType::Float ||
      self.size(0) != out.size(0) || self.size(1) != out.size(1)) {
    fail(context, Error::InvalidArgument, "self and out differ");
    return out;
  }
  each(self, out, negated);
  return out;
}

Tensor& returns_other(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  static TensorImpl mine;
  static Tensor other(&mine);
  if (is_refused(context, self, out)) return out;
  each(self, out, negated);
  return other;
}

Tensor& refuses_none(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (is_refused(context, self, out)) return out;
  KBENCH_KERNEL_CHECK(context, self.numel() > 0, InvalidArgument, out, "no elements");
  each(self, out, negated);
  return out;
}

// Says so by the error of its context.
Tensor& serves_none(KernelRuntimeContext& context, const Tensor&, Tensor& out) {
  fail(context, Error::NotSupported, "no such call");
  return out;
}

// Its scratch memory is everybody's.
Tensor& shares_state(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  static float calls = 0;
  if (is_refused(context, self, out)) return out;
  calls += 1e-3F;
  each(self, out, [](float x) { return -x + calls; });
  return out;
}

}  // namespace bad::native
