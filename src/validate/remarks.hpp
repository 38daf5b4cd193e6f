// What can be said about a record beyond its schema: conventions, and what will not work when it is
// run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/definition.hpp"
#include "schema/place.hpp"
#include "schema/solution.hpp"

namespace kbench {

struct Remark {
  std::string pointer;    // of the value it is about
  std::size_t index = 0;  // byte of that value, when it is a string
  std::string message;
  std::string hint;
};

// The order of run's parameters against "inputs", tags' namespaces, a second operator, the naming
// convention, calls of torch.nn in the reference, constraints that cannot be checked.
std::vector<Remark> remarks_on(const Definition& definition);

// An entry point that names no function, hardware that is not known.
std::vector<Remark> remarks_on(const Solution& solution);

// Reports remarks as warnings, or as errors if `strict`.
void add_remarks(const std::vector<Remark>& remarks, const Place& record, bool strict,
                 Diagnostics& diagnostics);

}  // namespace kbench
