// Gradients in a Solution's sidecar, apart from its functions: `nondiff` and `residuals`.
// docs/gradients.md
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/definition.hpp"
#include "schema/dtype.hpp"
#include "schema/place.hpp"

namespace kbench {

// Tensor that the forward pass keeps for the backward one.
struct ResidualSpec {
  std::string name;
  std::vector<std::string> shape;  // expressions over the Definition's axes; none: a 0-D tensor
  DType dtype = DType::float32;
  Where where;
};

// Evaluates an expression of a shape. Throws std::domain_error where it is not above 0.
std::int64_t residual_length(const ResidualSpec& residual, const std::string& expression,
                             const OrderedMap<std::int64_t>& axes);

// Input that is declared to have no gradient.
struct Nondiff {
  std::string input;
  Where where;
};

struct GradientSpec {
  std::vector<Nondiff> nondiff;
  std::vector<ResidualSpec> residuals;  // residuals in the order of the call
};

// Returns true where the key is one of the two; mistakes in its value are reported.
bool read_gradient_key(const json::Member& member, const std::string& pointer,
                       const YamlPlace& place, GradientSpec& out);

// Reports misfits to the Definition: inputs, axes and names that are not there or there twice.
// Returns false where one is an error.
bool fits(const GradientSpec& spec, const Definition& definition, Diagnostics& diagnostics);

}  // namespace kbench
