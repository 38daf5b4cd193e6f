// Calls a kernel through the symbol that kbench_ffi.h emits, as a host would; prints what differs.
// Built by tests/content/run; with -DWITH_TVM_FFI also compares the layout with the real headers.
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

#include "kbench_ffi.h"
#ifdef WITH_TVM_FFI
#include <tvm/ffi/c_api.h>
static_assert(sizeof(TVMFFIAny) == sizeof(kbench::Any));
static_assert(offsetof(TVMFFIAny, v_int64) == offsetof(kbench::Any, as_int));
static_assert(sizeof(::DLTensor) == sizeof(kbench::DLTensor));
static_assert(offsetof(::DLTensor, ndim) == offsetof(kbench::DLTensor, ndim));
static_assert(offsetof(::DLTensor, dtype) == offsetof(kbench::DLTensor, dtype));
static_assert(offsetof(::DLTensor, shape) == offsetof(kbench::DLTensor, shape));
static_assert(offsetof(::DLTensor, strides) == offsetof(kbench::DLTensor, strides));
static_assert(offsetof(::DLTensor, byte_offset) == offsetof(kbench::DLTensor, byte_offset));
static_assert(sizeof(TVMFFIObject) == kbench::kObjectHeaderBytes);
static_assert(kTVMFFITensor == kbench::kTensorObject && kTVMFFIDLTensorPtr == kbench::kDLTensor);
static_assert(kTVMFFIInt == kbench::kInt && kTVMFFIBool == kbench::kBoolean);
static_assert(kTVMFFIFloat == kbench::kFloat && kTVMFFINone == kbench::kNone);
static_assert(kDLBfloat == kbench::kBFloat16.code && kDLBool == kbench::kBool.code);
static_assert(kDLFloat8_e4m3fn == kbench::kFloat8E4M3.code);
static_assert(kDLFloat8_e5m2 == kbench::kFloat8E5M2.code);
#endif

namespace {

std::string raised;  // what the kernel reported

void scale(kbench::Tensor x, double factor, int64_t times, bool negate, kbench::Tensor out) {
  KBENCH_CHECK(x.dtype() == kbench::kFloat32, "x must be float32");
  if (times == 98) throw std::runtime_error("no " + std::to_string(times));
  if (times == 99) throw 1;
  for (int64_t i = 0; i < x.numel(); ++i) {
    float v = x.data<float>()[i];
    for (int64_t t = 0; t < times; ++t) v *= static_cast<float>(factor);
    out.data<float>()[i] = negate ? -v : v;
  }
}

}  // namespace

KBENCH_EXPORT(run, scale)

extern "C" void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message) {
  raised = std::string(kind) + ": " + message;
}

namespace {

int failures = 0;

void expect(bool good, const char* what) {
  if (good) return;
  ++failures;
  std::printf("wrong: %s (raised: %s)\n", what, raised.c_str());
}

struct Call {
  float in[6] = {1, 2, 3, 4, 5, 6}, out[6] = {};
  int64_t shape[2] = {2, 3};
  kbench::DLTensor x{in, {1, 0}, 2, kbench::kFloat32, shape, nullptr, 0};
  kbench::DLTensor y{out, {1, 0}, 2, kbench::kFloat32, shape, nullptr, 0};
  kbench::Any args[5] = {}, result{kbench::kTensorObject, 0, {7}};

  Call() {
    args[0] = pointer(kbench::kDLTensor, &x);
    args[1].type_index = kbench::kFloat;
    args[1].as_float = 0.5;
    args[2] = {kbench::kInt, 0, {2}};
    args[3] = {kbench::kBoolean, 0, {1}};
    args[4] = pointer(kbench::kDLTensor, &y);
  }
  static kbench::Any pointer(int32_t type, void* to) {
    kbench::Any any{type, 0, {0}};
    any.as_pointer = to;
    return any;
  }
  int run(int32_t n = 5) {
    raised.clear();
    return __tvm_ffi_run(nullptr, args, n, &result);
  }
};

void good_calls() {
  Call call;
  expect(call.run() == 0 && call.out[5] == -1.5f, "inputs, scalars and output in order");
  expect(call.result.type_index == kbench::kNone && call.result.as_int == 0, "returns none");
  Call whole;
  whole.args[1] = {kbench::kInt, 0, {3}};
  expect(whole.run() == 0 && whole.out[0] == -9.0f, "an integer where a number is expected");
  Call object;
  alignas(8) char tensor_object[kbench::kObjectHeaderBytes + sizeof(kbench::DLTensor)];
  std::memcpy(tensor_object + kbench::kObjectHeaderBytes, &object.x, sizeof object.x);
  object.args[0] = Call::pointer(kbench::kTensorObject, tensor_object);
  expect(object.run() == 0 && object.out[1] == -0.5f, "a counted tensor object");
  Call shifted;
  shifted.x.byte_offset = 4;
  shifted.shape[0] = 1;
  expect(shifted.run() == 0 && shifted.out[0] == -0.5f, "the byte offset");
}

void refused_calls() {
  Call few;
  expect(few.run(4) == -1 &&
             raised == "TypeError: takes 5 arguments, called with 4: inputs in order, then outputs",
         "one argument too few");
  Call tensor_missing;
  tensor_missing.args[0] = {kbench::kInt, 0, {1}};
  expect(tensor_missing.run() == -1 &&
             raised == "TypeError: argument 1 of 5: expected a tensor, got an integer",
         "an integer where a tensor is expected");
  Call fraction;
  fraction.args[2] = fraction.args[1];
  expect(
      fraction.run() == -1 &&
          raised == "TypeError: argument 3 of 5: expected an integer, got a floating-point number",
      "a float where an integer is expected");
  Call dtype;
  dtype.x.dtype = kbench::kFloat16;
  expect(dtype.run() == -1 && raised == "ValueError: x must be float32", "KBENCH_CHECK's text");
  Call standard;
  standard.args[2].as_int = 98;
  expect(standard.run() == -1 && raised == "RuntimeError: no 98", "the text of a std::exception");
  Call foreign;
  foreign.args[2].as_int = 99;
  expect(
      foreign.run() == -1 && raised == "RuntimeError: the kernel threw what is no std::exception",
      "any other exception");
}

void views() {
  int64_t shape[3] = {2, 1, 3}, dense[3] = {3, 3, 1}, loose[3] = {3, 99, 1}, swapped[3] = {1, 2, 2};
  kbench::DLTensor raw{nullptr, {1, 0}, 3, kbench::kInt8, shape, nullptr, 0};
  const kbench::Tensor view(&raw);
  expect(view.numel() == 6 && view.size(-1) == 3 && view.stride(0) == 3, "sizes and strides");
  expect(view.contiguous(), "no strides means contiguous");
  raw.strides = dense;
  expect(view.contiguous(), "dense strides");
  raw.strides = loose;
  expect(view.contiguous(), "the stride of a dimension of one does not matter");
  raw.strides = swapped;
  expect(!view.contiguous() && view.stride(-1) == 2, "transposed strides");
}

}  // namespace

int main() {
  good_calls();
  refused_calls();
  views();
  return failures == 0 ? 0 : 1;
}
