#include "reference/check_request.hpp"

#include <utility>
#include <vector>

#include "reference/packed_parts.hpp"

namespace kbench {

SharedMemory with_check_arguments(std::span<const CheckArgument> arguments,
                                  ReferenceRequest& request) {
  std::vector<std::span<const std::byte>> parts;
  for (const CheckArgument& argument : arguments) {
    ReferenceArgument& sent = request.inputs.emplace_back();
    sent.name = argument.name;
    sent.dtype = argument.tensor.dtype;
    sent.is_scalar = argument.scalar.has_value();
    parts.emplace_back();
    if (argument.scalar) {
      sent.scalar = *argument.scalar;
      continue;
    }
    sent.shape = argument.tensor.shape;
    sent.is_double = argument.is_double;
    sent.bytes = argument.tensor.bytes;
    parts.back() = {argument.tensor.data, argument.tensor.bytes};
  }
  PackedParts packed = pack_parts("kbench check arguments", parts);
  for (std::size_t i = 0; i < parts.size(); ++i) request.inputs[i].offset = packed.offsets[i];
  return std::move(packed.memory);
}

}  // namespace kbench
