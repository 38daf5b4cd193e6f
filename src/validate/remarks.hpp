// What can be said about a Definition beyond its schema: conventions, and a reference that would be
// called with its arguments in the wrong places.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "schema/definition.hpp"

namespace kbench {

struct Remark {
  std::string pointer;    // of the value it is about
  std::size_t index = 0;  // byte of that value, when it is a string
  std::string message;
  std::string hint;
};

// The order of run's parameters against "inputs", tags' namespaces, the naming convention, calls of
// torch.nn in the reference.
std::vector<Remark> remarks_on(const Definition& definition);

// Reports remarks as warnings, or as errors if `strict`.
void add_remarks(const std::vector<Remark>& remarks, const Source& source, bool strict,
                 Diagnostics& diagnostics);

}  // namespace kbench
