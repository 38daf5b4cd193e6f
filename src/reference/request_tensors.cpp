#include "reference/request_tensors.hpp"

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

namespace kbench {
namespace {

struct PackedParts {
  SharedMemory memory;               // sealed
  std::vector<std::size_t> offsets;  // byte of each part, at the begin of a page
};

PackedParts pack_parts(const char* name, std::span<const std::span<const std::byte>> parts) {
  constexpr std::size_t page = 4096;
  std::vector<std::size_t> offsets;
  std::size_t total = 0;
  for (const auto& part : parts) {
    offsets.push_back(total);
    total += (part.size() + page - 1) / page * page;
  }
  SharedMemory memory(name, total);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!parts[i].empty())
      std::memcpy(memory.data() + offsets[i], parts[i].data(), parts[i].size());
  memory.seal_for_others();
  return {std::move(memory), std::move(offsets)};
}

}  // namespace

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

SharedMemory with_cotangents(const Inputs& inputs, std::span<const NamedTensor> cotangents,
                             ReferenceRequest& request) {
  std::vector<std::span<const std::byte>> parts{{inputs.memory.data(), inputs.memory.size()}};
  for (const NamedTensor& one : cotangents) parts.push_back({one.tensor.data, one.tensor.bytes});
  PackedParts packed = pack_parts("kbench gradient inputs", parts);
  for (std::size_t i = 0; i < cotangents.size(); ++i) {
    const auto& [name, tensor] = cotangents[i];
    request.cotangents.push_back(
        {name, tensor.dtype, false, {}, tensor.shape, packed.offsets[i + 1], tensor.bytes});
  }
  return std::move(packed.memory);
}

}  // namespace kbench
