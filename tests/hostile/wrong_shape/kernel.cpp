// Returns a tensor with one column too many.
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>

#include <cstring>

using tvm::ffi::Tensor;
using tvm::ffi::TensorView;

Tensor rmsnorm(TensorView x, TensorView weight) {
  (void)weight;
  const tvm::ffi::Shape shape({x.size(0), x.size(1) + 1});
  Tensor result = Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, shape, x.dtype(), x.device());
  std::memset(result.data_ptr(), 0, static_cast<size_t>(result.numel()) * 2);
  return result;
}

TVM_FFI_DLL_EXPORT_TYPED_FUNC(run, rmsnorm)
