// Facts in a reference's text about its integer inputs: what they index, how much of what they
// cover, what they are compared with, what is checked. Nothing is run; text that is not recognised
// says nothing.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "problem/constraint.hpp"
#include "problem/data/reference_value.hpp"
#include "problem/problem.hpp"
#include "schema/definition.hpp"

namespace kbench {

// Both ends are included.
struct IndexRange {
  Size low;
  Size high;
};

// Uses that the reference makes of an integer input's elements, or of a scalar.
struct InputUse {
  std::vector<IndexRange> indexed;  // an element is an index
  std::vector<IndexRange> wrapped;  // any number becomes an index: x[i % n], i == one of n
  std::vector<Size> lengths;        // an element says how much of so many is meant: x[:n]
  std::vector<Size> starts;         // x[s:e] of so many, where e is another input's
  std::vector<Size> stops;          // x[s:e] of so many, for e's input
  std::vector<Size> totals;         // ends of the spans, sums of the counts
  std::vector<Size> at_least;       // checked lower bounds
  std::vector<Size> at_most;        // checked upper bounds
  bool spans = false;               // x[p[i]:p[i + 1]]
  bool ends = false;                // spans begin with 0 to p[0]: the 0 is not in it
  bool counts = false;              // x[s:s + n]; s += n
  bool unique = false;              // an element is where something is stored
  bool scattered = false;           // an element is part of that: y[b, t] = …
  bool padded = false;              // compared with -1 or 0
  bool packed = false;              // shifted right by 16 bits
  std::vector<Size> equal;          // values that a scalar must have
  std::string longest;              // input none of whose lengths is above this scalar
};

struct ReferenceFacts {
  std::map<std::string, InputUse> uses;  // key: the input
  std::set<std::string> weights;         // inputs that torch.multinomial draws by
  std::set<std::string> positive;        // inputs whose root or logarithm is taken
  std::map<std::string, int> gates;      // inputs of gates, with the sign that keeps
  bool recurs = false;                   // a loop's round goes on from what the last one left
  std::map<std::string, Size> sizes;     // local names of lengths: T = x.shape[0]
  std::vector<std::string> checks;       // asserted expressions
  std::map<std::string, std::string> defaults;  // defaults of run's parameters, as text
  bool skips = false;                           // has a `continue`: empty sequences are passed over

  const InputUse& use(const std::string& input) const;
};

// The comparison that says the same of its operands in the other order: "n > x" is "x < n".
std::string mirrored(const std::string& op);

ReferenceFacts reference_facts(const Definition& definition);

// scope_of(problem) and the local names. Refers to both.
ConstraintScope scope_of(const Problem& problem, const ReferenceFacts& facts);
// `outer` and the local names. Refers to `facts`.
ConstraintScope with_local_names(ConstraintScope outer, const ReferenceFacts& facts);

}  // namespace kbench
