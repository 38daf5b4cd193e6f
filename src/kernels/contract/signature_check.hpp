// Signatures of solutions against their Definitions and siblings, of kernels against their schemas,
// and of Definitions against the operators that they are linked to.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/contract/kernel_set.hpp"

namespace kbench {

// Comparison of two signatures, and their differences.
struct SignatureComparison {
  std::string operation;
  std::string implementation;
  std::string reference;
  std::vector<std::string> differences;  // differences; none: it fits
  Where where;
  std::string has, wanted;  // both signatures, as text() has them; "" where there is none
  std::vector<std::string> notes = {};  // remarks: parameters that are not read
  std::string verdict = "";             // reason why nothing could be compared; "": it differs
};

// Number of each kind that was compared.
struct SignatureCounts {
  std::size_t kernels = 0;
  std::size_t solutions = 0;
  std::size_t definitions = 0;  // counted under each operator that they are linked to

  bool is_any() const { return kernels + solutions + definitions > 0; }
};

struct SignatureCheck {
  std::vector<SignatureComparison> comparisons;
  SignatureCounts counts;

  std::vector<const SignatureComparison*> findings() const;
};

// Compares the implementations of an operation; "" compares all.
SignatureCheck check_signatures(const KernelSet& kernels, std::string op);

}  // namespace kbench
