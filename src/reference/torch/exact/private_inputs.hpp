// The inputs' memory as this process may spoil it: a copy-on-write mapping that nobody else sees.
#pragma once

#include <cstddef>
#include <vector>

#include "base/file.hpp"
#include "base/shared_memory.hpp"
#include "problem/reference_protocol.hpp"

namespace kbench {

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

}  // namespace kbench
