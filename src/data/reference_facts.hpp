// What a reference's text says about its index inputs: what they index, what they are compared
// with, what is asserted. Read off the text; nothing is run, and what is not recognised says
// nothing.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "problem/constraint.hpp"
#include "problem/problem.hpp"
#include "schema/definition.hpp"

namespace kbench {

// An input's elements are indices into axes [first, first + count) of `tensor`, seen as one axis.
struct Gather {
  std::string tensor;
  std::size_t first = 0;
  std::size_t count = 1;
};

struct ReferenceFacts {
  std::map<std::string, Gather> gathers;          // by the index input
  std::set<std::string> padded;                   // inputs whose elements are compared with -1 or 0
  std::set<std::string> packed;                   // inputs that are shifted right by 16 bits
  std::set<std::string> weights;                  // inputs that torch.multinomial draws by
  std::map<std::string, std::string> axes;        // local names of lengths: T = x.shape[0]
  std::map<std::string, std::int64_t> constants;  // local names of integers: page_size = 64
  std::vector<std::string> checks;                // asserted expressions
  std::map<std::string, std::string> defaults;    // of run's parameters, as text
  bool skips = false;  // has a `continue`: empty sequences are passed over
};

ReferenceFacts reference_facts(const Definition& definition);

// scope_of(problem) and the local names. Refers to both.
ConstraintScope scope_of(const Problem& problem, const ReferenceFacts& facts);

}  // namespace kbench
