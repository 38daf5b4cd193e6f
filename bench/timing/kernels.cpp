// Kernels of known cost, behind the ABI that candidates have. Built twice from this one source, so
// that A against A is two loads of two files.
#include <dlpack/dlpack.h>
#include <tvm/ffi/c_api.h>

#include <cmath>
#include <cstdint>

#define KERNEL(name)                                                      \
  extern "C" __attribute__((visibility("default"))) int __tvm_ffi_##name( \
      void*, const TVMFFIAny* arguments, std::int32_t, TVMFFIAny*)

namespace {

const DLTensor& tensor(const TVMFFIAny& argument) {
  return *static_cast<const DLTensor*>(argument.v_ptr);
}
float* floats(const TVMFFIAny& argument) { return static_cast<float*>(tensor(argument).data); }

}  // namespace

// (x [1], n, y [1]): n multiplications, each of which waits for the one before.
KERNEL(chain) {
  float value = *floats(arguments[0]);
  const std::int64_t n = arguments[1].v_int64;
  for (std::int64_t i = 0; i < n; ++i) {
    value *= 0.999999F;
    asm volatile("" : "+x"(value));
  }
  *floats(arguments[2]) = value;
  return 0;
}

// (x [n, 256], n, y [1]): n dot products of a row with itself, added up.
KERNEL(dot) {
  const float* row = floats(arguments[0]);
  const std::int64_t n = arguments[1].v_int64;
  float sum = 0;
  for (std::int64_t i = 0; i < n; ++i, row += 256) {
    float part[8] = {};
    for (int j = 0; j < 256; j += 8) {
      for (int k = 0; k < 8; ++k) part[k] += row[j + k] * row[j + k];
    }
    for (const float p : part) sum += p;
  }
  *floats(arguments[2]) = sum;
  return 0;
}

// (x [n, 64], n, y [n, 64]): softmax of each row.
KERNEL(softmax) {
  const float* in = floats(arguments[0]);
  const std::int64_t n = arguments[1].v_int64;
  float* out = floats(arguments[2]);
  for (std::int64_t i = 0; i < n; ++i, in += 64, out += 64) {
    float greatest = in[0];
    for (int j = 1; j < 64; ++j) greatest = in[j] > greatest ? in[j] : greatest;
    float sum = 0;
    for (int j = 0; j < 64; ++j) sum += out[j] = std::exp(in[j] - greatest);
    for (int j = 0; j < 64; ++j) out[j] /= sum;
  }
  return 0;
}

// (x [n, 4096], n, y [n, 4096]): a copy, times two.
KERNEL(stream) {
  const float* in = floats(arguments[0]);
  float* out = floats(arguments[2]);
  const std::int64_t count = arguments[1].v_int64 * 4096;
  for (std::int64_t i = 0; i < count; ++i) out[i] = 2 * in[i];
  return 0;
}
