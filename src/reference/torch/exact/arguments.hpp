// A request's arguments: their memory as this process may spoil it, and LibTorch's values and types
// for them.
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

// A copy-on-write mapping of the inputs' memory that nobody else sees.
class PrivateInputs {
 public:
  // Throws std::runtime_error when an argument lies outside the memory.
  PrivateInputs(Fd memory, const std::vector<ReferenceArgument>& arguments);
  ~PrivateInputs();
  PrivateInputs(const PrivateInputs&) = delete;
  PrivateInputs& operator=(const PrivateInputs&) = delete;

  std::byte* data(const ReferenceArgument& argument) const { return copy_ + argument.offset; }
  // Which arguments no longer hold what the judge gave.
  std::vector<const ReferenceArgument*> modified() const;
  void restore(const std::vector<const ReferenceArgument*>& arguments) const;

 private:
  SharedMemory original_;
  std::byte* copy_ = nullptr;
  const std::vector<ReferenceArgument>& arguments_;
};

// One argument; its tensor lies in the inputs' memory.
c10::IValue native_argument(const ReferenceArgument& argument, const PrivateInputs& inputs);
std::vector<c10::IValue> native_arguments(const std::vector<ReferenceArgument>& arguments,
                                          const PrivateInputs& inputs);

// The arguments of a double run.
struct ExactInputs {
  // Each element of a floating tensor times 1 + δ, δ uniform in (-size, size). 0: as they are.
  double perturbation = 0;
  double operand_rounding = 0, value_rounding = 0;  // as ValueFlow::round() has them; 0: are not
  std::uint64_t run = 0;  // other ones, other numbers; the same ones, the same
};

// Floating tensors become float64 tensors of their own, packed float4 stays. What it does to an
// element depends on the run, the argument's place and the element's index alone.
std::vector<c10::IValue> exact_arguments(const std::vector<ReferenceArgument>& arguments,
                                         const PrivateInputs& inputs, const ExactInputs& how);

// Whether exact_arguments() makes it float64.
bool is_widened(const ReferenceArgument& argument);

// Moves the elements of another float64 tensor, which is contiguous, as those of an argument in
// this place.
void perturb(at::Tensor& tensor, const ExactInputs& how, std::uint64_t place);

// LibTorch's name for an element type.
c10::ScalarType scalar_type(DType dtype);
// Nothing for what no Definition can declare: float64, complex, …
std::optional<DType> dtype_of(c10::ScalarType type);

}  // namespace kbench
