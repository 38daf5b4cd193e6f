// Grounds of an output's tolerance beside its dtype: whether the reference is a plain product of
// two tensors, or has products at all, and how large the operands are.
#pragma once

#include <string_view>
#include <vector>

#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"
#include "reference/answers.hpp"
#include "schema/definition.hpp"

namespace kbench {

// Tells whether the only output is Σ a·b over the axes that it has not, of the only tensors that go
// in, a and b: a matrix product, batched or not, whose only intermediates are sums. A few elements
// of the double answer tell; what else is done (a bias, a scale, an activation) shows there.
bool is_contraction(const Definition& definition, const Problem& problem, const Inputs& inputs,
                    const ExactAnswer& answer);

// Tells whether the op type and the text say so of a product that the axes do not describe (groups
// of rows): a gemm of two floating tensors, with no weights of integers, that calls no function of
// single elements.
bool is_named_contraction(const Definition& definition);

// Tells whether the text has products of matrices: what goes into one may be rounded to 16 bits
// even where the output is float32.
bool multiplies_matrices(std::string_view reference);

// Tells whether matrices are multiplied and an input is one of int8: its products with a scale may
// be rounded. The condition estimate, which moves the scale alone, does not see that.
bool weighs_by_integers(const Definition& definition);

// Returns the sizes of the operands of the output's elements. Elements that have the same leading
// indices in inputs, as far as an input shares the output's leading axes by name (x [M, N] and y
// [M, K]: rows), share the largest root mean square of those inputs' elements there. One number for
// each of as many equal parts of the output, in order; empty where no floating input shares an
// axis.
std::vector<double> operand_sizes(const Definition& definition, const TensorSpec& output,
                                  const TensorPlan& plan, const Inputs& inputs);

}  // namespace kbench
