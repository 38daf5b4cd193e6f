// Ranks in a mesh: what one of its axes has cut, the next one cuts again. A line of ranks is a mesh
// of one axis.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "judge/derive/combine.hpp"
#include "judge/derive/shard.hpp"

namespace kbench {

// An axis of a mesh: how its ranks cut what they get together, and how what they leave becomes one.
struct ShardLine {
  std::string name;  // "tp"; "" of a line that is no part of a mesh
  ShardLayout layout;
  const Combine* combine = nullptr;
};
using MeshLines = std::span<const ShardLine>;  // rank r of 2 × 3 is r / 3 of the first, r % 3

std::int64_t rank_count(MeshLines lines);
// What one rank solves.
Problem mesh_problem(Problem whole, MeshLines lines);
// Each rank's inputs, in the order of ranks.
std::vector<Inputs> mesh_inputs(const Inputs& whole, const Problem& problem, MeshLines lines);
// Combines along the last axis first. What is wrong names the ranks of the axes before it.
Combined combine_mesh(MeshLines lines, const Problem& whole, const RankOutputs& ranks);
// What a rank has, as layout_text() has it: a tensor is whole where no axis cuts it.
std::string mesh_text(const Problem& local, MeshLines lines);
// "K" of a line, "M:dp=2,K:tp=2" of a mesh.
std::string axes_text(MeshLines lines);

}  // namespace kbench
