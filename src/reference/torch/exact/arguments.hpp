// Arguments of a request: their memory as this process may spoil it, and LibTorch's values and
// types for them.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <c10/core/ScalarType.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/file.hpp"
#include "base/shared_memory.hpp"
#include "problem/reference_protocol.hpp"
#include "schema/dtype.hpp"

namespace kbench {

// Copy-on-write mapping of the inputs' memory that nobody else sees.
class PrivateInputs {
 public:
  // Throws std::runtime_error when an argument lies outside the memory.
  PrivateInputs(Fd memory, const std::vector<ReferenceArgument>& arguments);
  ~PrivateInputs();
  PrivateInputs(const PrivateInputs&) = delete;
  PrivateInputs& operator=(const PrivateInputs&) = delete;

  std::byte* data(const ReferenceArgument& argument) const { return copy_ + argument.offset; }
  // Returns the arguments that no longer hold the judge's values.
  std::vector<const ReferenceArgument*> modified() const;
  void restore(const std::vector<const ReferenceArgument*>& arguments) const;

 private:
  SharedMemory original_;
  std::byte* copy_ = nullptr;
  const std::vector<ReferenceArgument>& arguments_;
};

// Returns one argument; its tensor lies in the inputs' memory.
c10::IValue native_argument(const ReferenceArgument& argument, const PrivateInputs& inputs);
std::vector<c10::IValue> native_arguments(const std::vector<ReferenceArgument>& arguments,
                                          const PrivateInputs& inputs);

// Arguments of a double run.
struct ExactInputs {
  // Size: each element of a floating tensor is times 1 + δ, δ uniform in (-size, size). 0: unmoved.
  double perturbation = 0;
  double operand_rounding = 0, value_rounding = 0, decay_steps = 0;  // of ValueFlow::round()
  std::uint64_t run = 0;  // number: another gives other random numbers, the same gives the same
};

// Widens floating tensors to float64 tensors of their own; packed float4 stays. An element's
// perturbation depends on the run, the argument's place and the element's index alone.
std::vector<c10::IValue> exact_arguments(const std::vector<ReferenceArgument>& arguments,
                                         const PrivateInputs& inputs, const ExactInputs& how);

// Tells whether exact_arguments() makes it float64.
bool is_widened(const ReferenceArgument& argument);

// Perturbs the elements of another float64 tensor, which is contiguous, as those of an argument in
// this place.
void perturb(at::Tensor& tensor, const ExactInputs& how, std::uint64_t place);

// Returns LibTorch's name for an element type.
c10::ScalarType scalar_type(DType dtype);
// Returns nothing for types that no Definition can declare: float64, complex, …
std::optional<DType> dtype_of(c10::ScalarType type);

}  // namespace kbench
