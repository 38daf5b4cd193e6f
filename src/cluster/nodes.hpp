// How fast the nodes of a run are, beside each other: by what records say of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "schema/trace.hpp"

namespace kbench {

// By node, what each of its records says of one thing.
using NodeValues = std::map<std::string, std::vector<float>>;

struct NodeSpeeds {
  NodeValues control_ns;  // of kbench's own computation, before and after samples
  NodeValues clock_mhz;   // of GPUs, before and after samples

  void note(const std::string& node, const Evaluation& evaluation);
};

struct NodeSpeed {
  std::string node;
  double median = 0;
  double deviation = 0;  // from the median of the nodes' medians: 0.05 is 5 % more
  bool is_off = false;
};
constexpr double largest_deviation = 0.03;

// In the order of names; none where there are fewer than two nodes.
std::vector<NodeSpeed> beside_each_other(const NodeValues& values);

}  // namespace kbench
