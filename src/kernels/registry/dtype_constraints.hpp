// Dtypes that operators take and return together: ExecuTorch's edge.yaml, or a file of its form.
// Source: ExecuTorch, exir/dialects/edge/edge.yaml and its reader, _ops.py.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/operators/catalogue.hpp"
#include "kernels/operators/schema.hpp"

namespace kbench {

// Argument of an alternative ("self"), or result ("values", "__ret_0" where it has no name).
struct ConstrainedName {
  std::string name;
  std::size_t alias = 0;  // index in the entry: all names of one alias have the same dtype
  Where where;
};

struct DtypeConstraints {
  std::string op;                    // "aten::add.Tensor", which returns new tensors
  std::vector<std::uint64_t> types;  // types of each alias: bit n is the ScalarType n
  std::vector<std::vector<ConstrainedName>> alternatives;
  Where where;
};

// Reads the entries; mistakes are reported, and entries with one left out. `catalogue` has the
// schemas of PyTorch's operators; where it is nullptr, or an operator is none of these, its names
// are not checked.
std::vector<DtypeConstraints> read_dtype_constraints(const Source& source,
                                                     const ops::Catalogue* catalogue,
                                                     Diagnostics& diagnostics);

// Reports, of operators that libraries declare and PyTorch does not have, names that none of their
// schemas has, and entries for operators that are theirs by the namespace and are not there.
void check_constrained_names(const std::vector<DtypeConstraints>& all,
                             const std::vector<const ops::Schema*>& schemas,
                             Diagnostics& diagnostics);

std::string result_name(const ops::Schema& schema, std::size_t i);

// Tells whether the text is such a file, and no kernel yaml.
bool looks_like_dtype_constraints(std::string_view text);

// Returns the entry for a kernel's operator: of the same name, or of the operator that returns what
// this one writes to `out`; nullptr where there is none.
const DtypeConstraints* constraints_of(const std::vector<DtypeConstraints>& all,
                                       const ops::Schema& schema, const ops::Catalogue* catalogue);

}  // namespace kbench
