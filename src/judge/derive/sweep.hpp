// Workloads at other sizes, made of one that is given: the same inputs, other lengths of axes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/definition.hpp"
#include "schema/trace.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

struct SweepAxis {
  std::string name;
  std::vector<std::int64_t> values;  // lengths in the order in which they are judged
};

// The sizes of several axes: every combination is judged, the last axis varying fastest.
using Sweep = std::vector<SweepAxis>;

// "batch_size=1,8,64" each; what is wrong with them is reported at "--sweep".
Sweep read_sweep(const std::vector<std::string>& words, Diagnostics& out);

// The given workload at all these sizes, each with a uuid that follows from it and its axes; the
// given one itself where the sizes are its own. Axes that the Definition does not have or that are
// const, inputs from files that have the given sizes, constraints that do not hold, and outputs
// without any element are reported; what is wrong with one size leaves the others.
std::vector<Stored<Trace>> sweep_workloads(const Definition& definition, const Stored<Trace>& given,
                                           const Sweep& sweep, Diagnostics& out);

// A record of a swept workload carries its axes, as every record does. The record's `config` says
// which configuration a size was run with, and whether its bucket borrowed that of a neighbour: it
// is chosen where a pair is judged, not here.

}  // namespace kbench
