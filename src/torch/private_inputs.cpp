#include "torch/private_inputs.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace kbench {

PrivateInputs::PrivateInputs(Fd memory, const std::vector<ReferenceArgument>& arguments)
    : arguments_(arguments) {
  if (memory) original_ = SharedMemory::map_read_only(std::move(memory));
  for (const ReferenceArgument& argument : arguments) {
    if (argument.is_scalar) continue;
    if (argument.offset > original_.size() || argument.bytes > original_.size() - argument.offset) {
      throw std::runtime_error("input " + argument.name + " lies outside the inputs' memory");
    }
  }
  if (original_.size() == 0) return;
  void* copy = ::mmap(nullptr, original_.size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_NORESERVE, original_.fd(), 0);
  if (copy == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "mapping the inputs");
  }
  copy_ = static_cast<std::byte*>(copy);
}

PrivateInputs::~PrivateInputs() {
  if (copy_ != nullptr) ::munmap(copy_, original_.size());
}

std::vector<const ReferenceArgument*> PrivateInputs::modified() const {
  std::vector<const ReferenceArgument*> out;
  for (const ReferenceArgument& argument : arguments_) {
    if (argument.is_scalar || argument.bytes == 0) continue;
    const std::byte* original = original_.data() + argument.offset;
    if (std::memcmp(original, data(argument), argument.bytes) != 0) out.push_back(&argument);
  }
  return out;
}

void PrivateInputs::restore(const std::vector<const ReferenceArgument*>& arguments) const {
  for (const ReferenceArgument* argument : arguments) {
    std::memcpy(data(*argument), original_.data() + argument->offset, argument->bytes);
  }
}

}  // namespace kbench
