// Outputs on one set of inputs that were judged and are right: what is the same bit for bit needs
// no judge again. Few of a kernel's many configurations differ in their sums' order.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "schema/trace.hpp"

namespace kbench {

class RightOutputs {
 public:
  using Bytes = std::vector<std::byte>;

  // What the judge said of these; nothing where they are not known.
  const Correctness* find(const Bytes& outputs) const;
  // They are right. Not kept where there are too many.
  void add(Bytes outputs, Correctness correctness);

 private:
  std::vector<std::pair<Bytes, Correctness>> known_;
  std::size_t bytes_ = 0;
};

}  // namespace kbench
