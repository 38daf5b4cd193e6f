// Remarks on a record beyond its schema: conventions, and parts that will not work when it is run.
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
  std::string pointer;    // pointer to the value it is about
  std::size_t index = 0;  // byte of that value, when it is a string
  std::string message;
  std::string hint;
};

// Checks the order and number of run's parameters against "inputs", tags' namespaces, a second
// operator, the naming convention, dtypes that FlashInfer-Bench lacks, torch.nn in the reference,
// checks without effect, constraints that cannot be checked.
std::vector<Remark> remarks_on(const Definition& definition);

// Checks for an entry point that names no function, and hardware that is not known.
std::vector<Remark> remarks_on(const Solution& solution);

// Reports remarks as warnings, or as errors if `strict`.
void add_remarks(const std::vector<Remark>& remarks, const Place& record, bool strict,
                 Diagnostics& diagnostics);

}  // namespace kbench
