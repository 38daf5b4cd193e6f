// For candidates that return their results: memory from the host, by tvm-ffi's C functions alone.
#ifndef HOSTILE_RETURNED_H_
#define HOSTILE_RETURNED_H_

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "right.h"

inline const DLTensor* tensor_of(const TVMFFIAny& argument) {
  return static_cast<const DLTensor*>(argument.v_ptr);
}

inline kbench::Tensor view(const DLTensor* tensor) {
  return kbench::Tensor(reinterpret_cast<const kbench::DLTensor*>(tensor));
}

inline kbench::Tensor view(const TVMFFIAny& argument) { return view(tensor_of(argument)); }

struct Returned {
  TVMFFIObjectHandle object = nullptr;

  const DLTensor* tensor() const {
    return reinterpret_cast<const DLTensor*>(static_cast<char*>(object) + sizeof(TVMFFIObject));
  }
  void* data() const { return tensor()->data; }
  kbench::Tensor view() const { return ::view(tensor()); }
};

// A tensor of the same shape and type.
inline Returned allocate(DLTensor like) {
  Returned out;
  if (TVMFFIEnvTensorAlloc(&like, &out.object) != 0) __builtin_trap();
  return out;
}

inline Returned allocate(const TVMFFIAny& like) { return allocate(*tensor_of(like)); }

inline int give(const Returned& tensor, TVMFFIAny* result) {
  result->type_index = kTVMFFITensor;
  result->v_obj = static_cast<TVMFFIObject*>(tensor.object);
  return 0;
}

#endif  // HOSTILE_RETURNED_H_
