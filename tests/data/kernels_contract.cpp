// Kernels that negate or subtract, each of which breaks one promise; "good…" break none.
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "kbench_kernel.h"

namespace bad::native {
namespace {

using namespace kbench::kernels;

// Does what a right kernel does: takes strides as they are, checks sizes and types.
bool is_refused(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  const bool is_good = self.dim() == 2 && self.scalar_type() == ScalarType::Float &&
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

bool is_plain(const Tensor& self) {
  for (size_t d = 0; d < self.dim_order().size(); ++d) {
    if (self.dim_order()[d] != d) return false;
  }
  return true;
}

bool are_floats(const Tensor& self, const Tensor& other) {
  return self.scalar_type() == ScalarType::Float && other.scalar_type() == ScalarType::Float;
}

bool have_one_order(const Tensor& self, const Tensor& other) {
  for (size_t d = 0; d < self.dim_order().size(); ++d) {
    if (self.dim_order()[d] != other.dim_order()[d]) return false;
  }
  return true;
}

bool have_one_shape(const Tensor& self, const Tensor& other) {
  if (self.dim() != other.dim()) return false;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (self.size(d) != other.size(d)) return false;
  }
  return true;
}

void subtract(const Tensor& self, const Tensor& other, const Tensor& out) {
  const float* const a = self.const_data_ptr<float>();
  const float* const b = other.const_data_ptr<float>();
  for (int64_t i = 0; i < self.numel(); ++i) out.mutable_data_ptr<float>()[i] = a[i] - b[i];
}

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

// Returns the first call's first element in every later call.
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

// Reads the input as if it always lay in the order of its dimensions.
Tensor& ignores_order(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (is_refused(context, self, out)) return out;
  const float* next = self.const_data_ptr<float>();
  each(self, out, [&](float) { return -*next++; });
  return out;
}

// Takes the bytes of any tensor for floats.
Tensor& ignores_type(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (self.dim() != 2 || resize_tensor(out, self.sizes()) != Error::Ok) {
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
      self.dim() != 2 || out.dim() != 2 || self.size(0) != out.size(0) ||
      self.size(1) != out.size(1)) {
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

// Refuses every call by the error of its context.
Tensor& serves_none(KernelRuntimeContext& context, const Tensor&, Tensor& out) {
  fail(context, Error::NotSupported, "no such call");
  return out;
}

// Adds a count of its calls, which all threads share, to its results.
Tensor& shares_state(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  static float calls = 0;
  if (is_refused(context, self, out)) return out;
  calls += 1e-3F;
  each(self, out, [](float x) { return -x + calls; });
  return out;
}

Tensor& writes_turned_input(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (is_refused(context, self, out)) return out;
  each(self, out, negated);
  if (!is_plain(self) && self.numel() > 0) static_cast<float*>(self.mutable_data_ptr())[0] = 1;
  return out;
}

// Reads also an input whose dtype has eight bytes an element.
Tensor& reads_any_input(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  KBENCH_KERNEL_CHECK(context, self.dim() == 2 && out.scalar_type() == ScalarType::Float,
                      InvalidArgument, out, "out must be Float");
  KBENCH_KERNEL_CHECK(context, resize_tensor(out, self.sizes()) == Error::Ok, InvalidArgument, out,
                      "out has the wrong sizes");
  each(self, out, negated);
  return out;
}

Tensor& floats_in_doubles(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  const bool is_good =
      self.dim() == 2 && self.scalar_type() == ScalarType::Float &&
      (out.scalar_type() == ScalarType::Float || out.scalar_type() == ScalarType::Double);
  KBENCH_KERNEL_CHECK(context, is_good && resize_tensor(out, self.sizes()) == Error::Ok,
                      InvalidArgument, out, "self must be Float");
  each(self, out, negated);
  return out;
}

Tensor& drops_nan(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (!is_refused(context, self, out))
    each(self, out, [](float x) { return std::isnan(x) ? 0.0F : -x; });
  return out;
}

// Uses memory that all threads share.
Tensor& shares_buffer(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  static float buffer[1024];
  if (is_refused(context, self, out)) return out;
  const int64_t n = self.numel();
  KBENCH_KERNEL_CHECK(context, n <= 1024 && is_plain(self) && is_plain(out), InvalidArgument, out,
                      "too many elements");
  volatile float* const shared = buffer;
  for (int64_t i = 0; i < n; ++i) shared[i] = self.const_data_ptr<float>()[i];
  for (int64_t i = 0; i < n; ++i) out.mutable_data_ptr<float>()[i] = -shared[i];
  return out;
}

// Reads the input after it has cleared the output, which may be the same memory.
Tensor& clears_first(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (is_refused(context, self, out)) return out;
  each(out, out, [](float) { return 0.0F; });
  each(self, out, negated);
  return out;
}

Tensor& forgets_scalars(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (self.dim() == 0 && out.dim() == 0) return out;
  if (!is_refused(context, self, out)) each(self, out, negated);
  return out;
}

// Serves from eight rows on, as its sidecar says.
Tensor& good_from_8_rows(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  if (is_refused(context, self, out)) return out;
  KBENCH_KERNEL_CHECK(context, self.size(0) >= 8, InvalidArgument, out, "too few rows");
  each(self, out, negated);
  return out;
}

Tensor& good_from_64_rows(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  return good_from_8_rows(context, self, out);
}

Tensor& good_binary(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                    Tensor& out) {
  KBENCH_KERNEL_CHECK(context, are_floats(self, other) && are_floats(self, out), InvalidArgument,
                      out, "all must be Float");
  KBENCH_KERNEL_CHECK(context, have_one_shape(self, other), InvalidArgument, out, "sizes differ");
  KBENCH_KERNEL_CHECK(context, resize_tensor(out, self.sizes()) == Error::Ok, InvalidArgument, out,
                      "out has the wrong sizes");
  KBENCH_KERNEL_CHECK(context, have_one_order(self, other) && have_one_order(self, out),
                      InvalidArgument, out, "orders differ");
  subtract(self, other, out);
  return out;
}

Tensor& ignores_second_order(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                             Tensor& out) {
  KBENCH_KERNEL_CHECK(context, are_floats(self, other) && are_floats(self, out), InvalidArgument,
                      out, "all must be Float");
  KBENCH_KERNEL_CHECK(context, have_one_shape(self, other), InvalidArgument, out, "sizes differ");
  KBENCH_KERNEL_CHECK(context, resize_tensor(out, self.sizes()) == Error::Ok, InvalidArgument, out,
                      "out has the wrong sizes");
  KBENCH_KERNEL_CHECK(context, have_one_order(self, out), InvalidArgument, out, "orders differ");
  subtract(self, other, out);
  return out;
}

// Takes the second one to have the sizes of the first.
Tensor& ignores_second_sizes(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                             Tensor& out) {
  KBENCH_KERNEL_CHECK(context, are_floats(self, other) && are_floats(self, out), InvalidArgument,
                      out, "all must be Float");
  KBENCH_KERNEL_CHECK(context, self.dim() == 2 && other.dim() == 2, InvalidArgument, out, "ranks");
  KBENCH_KERNEL_CHECK(context, resize_tensor(out, self.sizes()) == Error::Ok, InvalidArgument, out,
                      "out has the wrong sizes");
  KBENCH_KERNEL_CHECK(context, have_one_order(self, other) && have_one_order(self, out),
                      InvalidArgument, out, "orders differ");
  subtract(self, other, out);
  return out;
}

// Negates by vectors of four and leaves out the rest.
Tensor& forgets_tail(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  KBENCH_KERNEL_CHECK(context, is_plain(self) && is_plain(out), InvalidArgument, out, "orders");
  if (is_refused(context, self, out)) return out;
  for (int64_t i = 0; i < self.numel() / 4 * 4; ++i)
    out.mutable_data_ptr<float>()[i] = -self.const_data_ptr<float>()[i];
  return out;
}

// Takes an output with as many elements, whatever its sizes.
Tensor& takes_as_many(KernelRuntimeContext& context, const Tensor& self, Tensor& out) {
  const bool is_good = are_floats(self, out) && self.dim() == 2 && is_plain(self) && is_plain(out);
  KBENCH_KERNEL_CHECK(context, is_good, InvalidArgument, out, "must be Float");
  KBENCH_KERNEL_CHECK(context,
                      self.numel() == out.numel() || resize_tensor(out, self.sizes()) == Error::Ok,
                      InvalidArgument, out, "out has the wrong sizes");
  for (int64_t i = 0; i < self.numel(); ++i)
    out.mutable_data_ptr<float>()[i] = -self.const_data_ptr<float>()[i];
  return out;
}

// Takes inputs with as many elements to have the same sizes.
Tensor& counts_elements(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                        Tensor& out) {
  KBENCH_KERNEL_CHECK(context, are_floats(self, other) && are_floats(self, out), InvalidArgument,
                      out, "all must be Float");
  KBENCH_KERNEL_CHECK(context, self.numel() == other.numel() && self.dim() == other.dim(),
                      InvalidArgument, out, "sizes differ");
  KBENCH_KERNEL_CHECK(context, resize_tensor(out, self.sizes()) == Error::Ok, InvalidArgument, out,
                      "out has the wrong sizes");
  KBENCH_KERNEL_CHECK(context, have_one_order(self, other) && have_one_order(self, out),
                      InvalidArgument, out, "orders differ");
  subtract(self, other, out);
  return out;
}

// Reads memory as it lies, of images that may each be contiguous or channels-last.
Tensor& mixes_images(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                     Tensor& out) {
  const auto is_image = [](const Tensor& one) {
    const auto order = one.dim_order();
    return is_plain(one) || (order[0] == 0 && order[1] == 2 && order[2] == 3 && order[3] == 1);
  };
  KBENCH_KERNEL_CHECK(context, self.dim() == 4 && have_one_shape(self, other), InvalidArgument, out,
                      "sizes differ");
  KBENCH_KERNEL_CHECK(context, resize_tensor(out, self.sizes()) == Error::Ok, InvalidArgument, out,
                      "out has the wrong sizes");
  KBENCH_KERNEL_CHECK(context,
                      are_floats(self, other) && are_floats(self, out) && is_image(self) &&
                          is_image(other) && is_image(out),
                      InvalidArgument, out, "no images");
  subtract(self, other, out);
  return out;
}

// Channels-last images: this kernel keeps its promises there, the next one breaks them.
Tensor& good_images(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                    Tensor& out) {
  return good_binary(context, self, other, out);
}

Tensor& bad_images(KernelRuntimeContext&, const Tensor& self, const Tensor& other, Tensor& out) {
  if (self.numel() == 0) std::abort();
  if (!have_one_shape(self, other) || !have_one_shape(self, out)) throw std::runtime_error("sizes");
  subtract(self, other, out);
  return out;
}

// Subtracts as if all had one order; it is registered for Floats in any order.
Tensor& any_order(KernelRuntimeContext& context, const Tensor& self, const Tensor& other,
                  Tensor& out) {
  KBENCH_KERNEL_CHECK(context, have_one_shape(self, other), InvalidArgument, out, "sizes differ");
  KBENCH_KERNEL_CHECK(context, resize_tensor(out, self.sizes()) == Error::Ok, InvalidArgument, out,
                      "out has the wrong sizes");
  subtract(self, other, out);
  return out;
}

}  // namespace bad::native
