#include "reference/check_request.hpp"

#include <cstring>

namespace kbench {

SharedMemory with_check_arguments(std::span<const CheckArgument> arguments,
                                  ReferenceRequest& request) {
  constexpr std::size_t page = 4096;
  std::size_t total = 0;
  for (const CheckArgument& argument : arguments) {
    ReferenceArgument& sent = request.inputs.emplace_back();
    sent.name = argument.name;
    sent.dtype = argument.tensor.dtype;
    sent.is_scalar = argument.scalar.has_value();
    if (argument.scalar) {
      sent.scalar = *argument.scalar;
      continue;
    }
    sent.shape = argument.tensor.shape;
    sent.is_double = argument.is_double;
    sent.offset = total;
    sent.bytes = argument.tensor.bytes;
    total += (sent.bytes + page - 1) / page * page;
  }
  SharedMemory memory("kbench check arguments", total);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TensorView& tensor = arguments[i].tensor;
    if (!request.inputs[i].is_scalar && tensor.bytes > 0)
      std::memcpy(memory.data() + request.inputs[i].offset, tensor.data, tensor.bytes);
  }
  memory.seal_for_others();
  return memory;
}

}  // namespace kbench
