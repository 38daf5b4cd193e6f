// What a Solution's sidecar says of its gradients beside its functions: `nondiff` and `residuals`.
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

// A tensor that the forward pass keeps for the backward one.
struct ResidualSpec {
  std::string name;
  std::vector<std::string> shape;  // expressions over the Definition's axes; none: a 0-D tensor
  DType dtype = DType::float32;
  Where where;
};

// The value of an expression of a shape. Throws std::domain_error where it has none above 0.
std::int64_t residual_length(const ResidualSpec& residual, const std::string& expression,
                             const OrderedMap<std::int64_t>& axes);

// An input that is declared to have no gradient.
struct Nondiff {
  std::string input;
  Where where;
};

struct GradientSpec {
  std::vector<Nondiff> nondiff;
  std::vector<ResidualSpec> residuals;  // in the order of the call
};

// True where the key is one of the two; what is wrong with its value is reported.
bool read_gradient_key(const json::Member& member, const std::string& pointer,
                       const YamlPlace& place, GradientSpec& out);

// Reports what does not fit the Definition: inputs, axes and names that are not there or there
// twice. False where something is an error.
bool fits(const GradientSpec& spec, const Definition& definition, Diagnostics& diagnostics);

}  // namespace kbench
