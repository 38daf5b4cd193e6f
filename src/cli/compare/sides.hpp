// What the two words of `kbench compare` stand for.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "evaluate/job.hpp"
#include "schema/trace_set.hpp"

namespace kbench {

// Two solutions of one definition.
struct Sides {
  const Solution* a = nullptr;
  const Solution* b = nullptr;
};

// Each word is a solution (exactly, else by unique prefix), or else an author: then all definitions
// of which both words have one solution. `definitions`: of these alone, none: of all. What a word
// does not say clearly is reported.
std::vector<Sides> find_sides(const TraceSet& set, const std::string& a, const std::string& b,
                              const std::vector<std::string>& definitions, Diagnostics& out);

// The jobs of these, with the two solutions in their order.
std::vector<Job> jobs_of(const std::vector<Sides>& sides, std::vector<Job> jobs);

}  // namespace kbench
