// Expected costs of judging, by the times in records.
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
  // Notes a pair's own time and that of its workload's reference, milliseconds.
  void note(const std::string& definition, const std::string& workload, const std::string& solution,
            std::pair<double, double> pair_and_reference);
  // Notes the times in the records of a file or folder: records without a time count for nothing.
  // Returns the number of those with a time that are left out, since they are in doubt.
  std::size_t note_records(const std::string& path);

  // Returns the pair's known time, else the mean of its definition's pairs, of all, or a second.
  double pair_ms(const std::string& definition, const std::string& workload,
                 const std::string& solution) const;
  // Returns the time of a workload's reference in this way, else 0.
  double reference_ms(const std::string& definition, const std::string& workload) const;

 private:
  struct Mean {
    double sum = 0;
    double count = 0;
  };
  using Means = std::map<std::string, Mean>;  // key: definition; "": all
  static double typical(const Means& means, const std::string& definition, double otherwise);

  std::map<std::tuple<std::string, std::string, std::string>, double> pairs_;
  std::map<std::pair<std::string, std::string>, double> references_;
  Means pair_means_, reference_means_;
};

// Speeds of a run's nodes beside each other, by their records.

// Values of one quantity in the records of each node.
using NodeValues = std::map<std::string, std::vector<float>>;

struct NodeSpeeds {
  NodeValues control_ns;  // times of kbench's own computation, before and after samples
  NodeValues clock_mhz;   // clocks of GPUs, before and after samples

  void note(const std::string& node, const Evaluation& evaluation);
};

struct NodeSpeed {
  std::string node;
  double median = 0;
  double deviation = 0;  // relative, from the median of the nodes' medians: 0.05 is 5 % more
  bool is_off = false;
};
constexpr double largest_deviation = 0.03;

// Compares nodes, in the order of names; none where there are fewer than two.
std::vector<NodeSpeed> beside_each_other(const NodeValues& values);

}  // namespace kbench
