// What judging takes, by what records say that it took.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "schema/trace.hpp"

namespace kbench {

class JudgingCosts {
 public:
  // A pair's own time and that of its workload's reference, milliseconds.
  void note(const std::string& definition, const std::string& workload, const std::string& solution,
            std::pair<double, double> pair_and_reference);
  // Notes what the records of a file or folder say: those that say nothing count for nothing.
  void note_records(const std::string& path);

  // What is known of the pair, else the mean of its definition's pairs, else of all pairs, else a
  // second.
  double pair_ms(const std::string& definition, const std::string& workload,
                 const std::string& solution) const;
  // What is known of a workload's reference in this way, else 0.
  double reference_ms(const std::string& definition, const std::string& workload) const;

 private:
  struct Mean {
    double sum = 0;
    double count = 0;
  };
  using Means = std::map<std::string, Mean>;  // by definition; "": all
  static double typical(const Means& means, const std::string& definition, double otherwise);

  std::map<std::tuple<std::string, std::string, std::string>, double> pairs_;
  std::map<std::pair<std::string, std::string>, double> references_;
  Means pair_means_, reference_means_;
};

// How fast the nodes of a run are, beside each other: by what records say of them.

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
