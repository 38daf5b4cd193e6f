// Returns float32 where bfloat16 is declared.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <cstring>

using tvm::ffi::Tensor;
using tvm::ffi::TensorView;

Tensor rmsnorm(TensorView x, TensorView weight) {
  (void)weight;
  const DLDataType dtype{kDLFloat, 32, 1};
  Tensor result = Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, x.shape(), dtype, x.device());
  std::memset(result.data_ptr(), 0, static_cast<size_t>(result.numel()) * 4);
  return result;
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, rmsnorm)
