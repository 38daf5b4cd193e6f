// The label of the calls that a record is of: base/stamp.hpp.
#pragma once

#include <string>

#include "schema/trace.hpp"

namespace kbench {

// 16 hexadecimal digits: the begin of the SHA-256 of its values, a line each in the order in which
// a record has them.
std::string basis_key(const Basis& basis);

}  // namespace kbench
