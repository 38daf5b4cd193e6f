// Every solution against its Definition and its siblings, every kernel against its schema, every
// Definition against the operator that it is linked to.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/contract/kernel_set.hpp"

namespace kbench {

// What was held against what, and how it differs.
struct SignatureComparison {
  std::string operation;
  std::string implementation;
  std::string reference;
  std::vector<std::string> differences;  // none: it fits
  Where where;
  std::string has, wanted;  // the two signatures, as text() has them; "" where there is none
  std::vector<std::string> notes = {};  // what is no difference: parameters that are not read
  std::string verdict = "";  // where there is nothing to hold against it; else it differs
};

// How many of each were looked at.
struct SignatureCounts {
  std::size_t kernels = 0;
  std::size_t solutions = 0;
  std::size_t definitions = 0;  // under each operator that they are linked to

  bool is_any() const { return kernels + solutions + definitions > 0; }
};

struct SignatureCheck {
  std::vector<SignatureComparison> comparisons;
  SignatureCounts counts;

  std::vector<const SignatureComparison*> findings() const;
};

// Compares what is registered for an operation; "" compares all of it.
SignatureCheck check_signatures(const KernelSet& kernels, std::string op);

}  // namespace kbench
