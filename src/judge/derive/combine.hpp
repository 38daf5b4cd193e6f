// Ways to put together what the ranks have left: one row a way. Outputs that are cut are joined
// along their dimension in any case; the way says what becomes of those that every rank has whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judge/derive/shard.hpp"
#include "problem/problem.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {

// Outputs of each rank, in the order of ranks.
using RankOutputs = std::vector<std::vector<TensorView>>;

// The outputs of the whole problem.
struct Combined {
  std::vector<std::vector<std::byte>> memory;
  std::vector<TensorView> outputs;  // views into it
  std::string wrong;                // fault, or "": "DISAGREE: output "y" is replicated, and …"
};

struct Combine {
  std::string_view name;
  std::string_view doc;
  bool is_by_entry = false;  // a function of the solution does it: nothing below is called
  // Returns why these outputs cannot be combined so, "" where they can.
  std::string (*unfit)(const Problem& whole, const ShardLayout& layout) = nullptr;
  // Fills the outputs that are not cut.
  void (*whole_outputs)(const Problem& whole, const ShardLayout& layout, const RankOutputs& ranks,
                        Combined& out) = nullptr;
};

// A new one takes its row in combine.cpp, and its word in kernels/registry/sharding.cpp.
std::span<const Combine> combine_kinds();
const Combine* find_combine(std::string_view name);

// Room for the outputs of the whole problem.
Combined make_combined(const Problem& whole);

// Combines the outputs. A single rank's stay as they are, bit for bit, whatever the way.
Combined combine_outputs(const Combine& how, const Problem& whole, const ShardLayout& layout,
                         const RankOutputs& ranks);

// Ranks that have other bits than rank 0, and the first place where the first of them has.
struct Difference {
  std::vector<std::size_t> ranks;
  std::string place;  // "[1, 17]"
  double first = 0;   // rank 0's value there
  double other = 0;
};
Difference first_difference(const RankOutputs& ranks, std::size_t output);

// Whole outputs of ranks that must be the same: "" or who differs from rank 0 and where.
std::string disagreement(const std::string& name, std::size_t output, const RankOutputs& ranks);

// An axis of a mesh: how its ranks cut what they get together, and how what they leave becomes one.
// Each axis cuts again what the one before it has cut; a line of ranks is a mesh of one axis.
struct ShardLine {
  std::string name;  // "tp"; "" of a line that is no part of a mesh
  ShardLayout layout;
  const Combine* combine = nullptr;
};
using MeshLines = std::span<const ShardLine>;  // rank r of 2 × 3 is r / 3 of the first, r % 3

std::int64_t rank_count(MeshLines lines);
// Problem that one rank solves.
Problem mesh_problem(Problem whole, MeshLines lines);
// Each rank's inputs, in the order of ranks.
std::vector<Inputs> mesh_inputs(const Inputs& whole, const Problem& problem, MeshLines lines);
// Combines along the last axis first. A fault names the ranks of the axes before it.
Combined combine_mesh(MeshLines lines, const Problem& whole, const RankOutputs& ranks);
// Text of what a rank has, as layout_text() has it: a tensor is whole where no axis cuts it.
std::string mesh_text(const Problem& local, MeshLines lines);
// "K" of a line, "M:dp=2,K:tp=2" of a mesh.
std::string axes_text(MeshLines lines);

}  // namespace kbench
