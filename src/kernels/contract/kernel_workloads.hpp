// Workloads on which a kernel's contract is checked.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "schema/definition.hpp"
#include "schema/trace.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

enum class CheckedWorkloads {
  all,
  smallest,  // smallest one in which axes are longer than 1, so that mistaken ones differ
  larger,    // largest one up to a limit, so that a call takes a while
  odd,       // made one: axes have odd lengths, so that each vector has a rest
};

// Tells whether it reads tensors from files, which have one dtype and shape.
bool has_files(const Workload& workload);

using AxisLengths = std::map<std::string, std::int64_t>;

// Returns the lengths of all axes in a workload.
AxisLengths axis_lengths(const Definition& definition, const Workload& workload);

// Returns the largest number of axes longer than 1 that a tensor has; dim orders are of these.
std::size_t most_long_axes(const Definition& definition, const AxisLengths& lengths);

class ContractWorkloads {
 public:
  explicit ContractWorkloads(const std::vector<Stored<Trace>>& all) : all_(all) {}

  // Returns the workloads of a Definition in which the conditions of a kernel hold, if any. One
  // with longer axes is made where each has an axis of length 1. No odd one is made where no length
  // may be another, or all are odd.
  std::vector<Workload> choose(const Definition& definition,
                               const std::vector<std::string>& conditions, CheckedWorkloads which);

  // Returns the workloads that choose() made.
  std::vector<Stored<Trace>>& made() { return made_; }

 private:
  std::vector<const Stored<Trace>*> serving(const Definition& definition,
                                            const std::vector<std::string>& conditions) const;
  Workload smallest(const Definition& definition, const std::vector<std::string>& conditions,
                    const std::vector<const Stored<Trace>*>& some);
  void add(const Definition& definition, const Workload& workload);

  const std::vector<Stored<Trace>>& all_;
  std::vector<Stored<Trace>> made_;
};

}  // namespace kbench
