#include "judge/derive/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace kbench {

std::int64_t rank_count(MeshLines lines) {
  std::int64_t count = 1;
  for (const ShardLine& line : lines) count *= line.layout.ranks;
  return count;
}

Problem mesh_problem(Problem whole, MeshLines lines) {
  for (const ShardLine& line : lines) whole = rank_problem(whole, line.layout);
  return whole;
}

std::vector<Inputs> mesh_inputs(const Inputs& whole, const Problem& problem, MeshLines lines) {
  const ShardLayout& layout = lines.front().layout;
  const Problem local = rank_problem(problem, layout);
  std::vector<Inputs> all;
  for (std::int64_t rank = 0; rank < layout.ranks; ++rank) {
    Inputs part = rank_inputs(whole, local, layout, rank);
    if (lines.size() == 1) {
      all.push_back(std::move(part));
    } else {
      for (Inputs& one : mesh_inputs(part, local, lines.subspan(1))) all.push_back(std::move(one));
    }
  }
  return all;
}

Combined combine_mesh(MeshLines lines, const Problem& whole, const RankOutputs& ranks) {
  const ShardLine& line = lines.front();
  if (lines.size() == 1) return combine_outputs(*line.combine, whole, line.layout, ranks);
  const Problem local = rank_problem(whole, line.layout);
  const auto within = static_cast<std::size_t>(rank_count(lines.subspan(1)));
  std::vector<Combined> parts;  // the outputs point into them
  RankOutputs outputs;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(line.layout.ranks); ++rank) {
    const auto begin = ranks.begin() + static_cast<std::ptrdiff_t>(rank * within);
    const RankOutputs some(begin, begin + static_cast<std::ptrdiff_t>(within));
    parts.push_back(combine_mesh(lines.subspan(1), local, some));
    if (!parts.back().wrong.empty()) {
      Combined out = make_combined(whole);
      out.wrong = fmt::format("{} (rank {} of {})", parts.back().wrong, rank, line.name);
      return out;
    }
    outputs.push_back(parts.back().outputs);
  }
  Combined out = combine_outputs(*line.combine, whole, line.layout, outputs);
  if (!out.wrong.empty()) out.wrong += fmt::format(" (ranks of {})", line.name);
  return out;
}

std::string mesh_text(const Problem& local, MeshLines lines) {
  ShardLayout any = lines.front().layout;
  const auto add = [](std::vector<int>& all, const std::vector<int>& own) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], own[i]);
  };
  for (const ShardLine& line : lines) {
    add(any.inputs, line.layout.inputs);
    add(any.outputs, line.layout.outputs);
  }
  return layout_text(local, any);
}

std::string axes_text(MeshLines lines) {
  std::vector<std::string> words;
  for (const ShardLine& line : lines) {
    for (const std::string& axis : line.layout.axes)
      words.push_back(
          line.name.empty() ? axis : fmt::format("{}:{}={}", axis, line.name, line.layout.ranks));
  }
  return join(words, ",");
}

}  // namespace kbench
