// A problem cut into ranks: which tensors carry the axes that are cut, what each rank has of them,
// and the problem that a rank solves by itself. Pure: no process, no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"
#include "schema/containers.hpp"
#include "schema/definition.hpp"
#include "schema/trace.hpp"

namespace kbench {

// Request for a cut.
struct ShardRequest {
  std::vector<std::string> axes;  // axes cut together, by the same ranks
  std::int64_t ranks = 1;
  // Axis by which a tensor is cut, or "replicated", by the tensor's name: for tensors that carry
  // several of the axes, and for outputs that a kernel scatters by another axis.
  OrderedMap<std::string> tensors;
  std::optional<Where> tensors_said = {};  // place of these, unless that of the axes
};

// Dimension of each tensor that is cut; -1: every rank has all of it.
struct ShardLayout {
  std::vector<std::string> axes;
  std::int64_t ranks = 1;
  std::vector<int> inputs;   // a dimension for each input, in the Definition's order
  std::vector<int> outputs;  // a dimension for each output, in the Definition's order

  bool is_cut(std::size_t output) const { return outputs[output] >= 0; }
  bool cuts_all_outputs() const;
};

// Nothing where it cannot be cut so, which is reported at `said`: names that the Definition does
// not have, an axis that no input carries, a length that the ranks do not divide or that is 0, a
// tensor that carries several of the axes, a constraint that does not hold of what a rank has,
// outputs without any element.
std::optional<ShardLayout> shard_layout(const Definition& definition, const Problem& whole,
                                        const ShardRequest& request, const Where& said,
                                        Diagnostics& diagnostics);
// Tells also whether a constraint alone forbids the cut.
struct LayoutTrial {
  std::optional<ShardLayout> layout;
  bool breaks_constraint = false;
};
LayoutTrial try_layout(const Definition& definition, const Problem& whole,
                       const ShardRequest& request, const Where& said, Diagnostics& diagnostics);

// Problem that one rank solves, the same for all. Axes that are cut have a rank's length.
Problem rank_problem(const Problem& whole, const ShardLayout& layout);

// The problem of a rank as one that the Definition itself describes, with other lengths in the
// workload; nothing where it is none: a constant axis is cut, or a tensor of its axis is not.
std::optional<Problem> call_alone(const Definition& definition, Workload workload,
                                  const Problem& local);

// Rank `rank` of the inputs, in memory of their own, sealed.
Inputs rank_inputs(const Inputs& whole, const Problem& local, const ShardLayout& layout,
                   std::int64_t rank);

// "A [2, 4096] of M, B whole": what a rank has, for people.
std::string layout_text(const Problem& local, const ShardLayout& layout);

// The divisors of `length` nearest to `ranks`, at most two on each side: {1, 2, 4, 7}.
std::vector<std::int64_t> divisors_near(std::int64_t length, std::int64_t ranks);

// Part `part` of `parts` equal ones of a contiguous tensor along a dimension.
struct Slice {
  int dimension = 0;
  std::int64_t part = 0;
  std::int64_t parts = 1;
};

// Tells whether parts begin and end at bytes: two elements of float4 share one.
bool has_whole_bytes(DType dtype, const std::vector<std::int64_t>& shape, const Slice& slice);

// Copies from `whole` to `to`, which has room for the part.
void copy_slice(const TensorView& whole, const Slice& slice, std::byte* to);
// Copies from `part` to its place in a tensor of `shape` at `whole`.
void place_slice(const TensorView& part, const Slice& slice, const std::vector<std::int64_t>& shape,
                 std::byte* whole);

}  // namespace kbench
