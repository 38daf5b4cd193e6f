// The label of the calls that a record is of: base/stamp.hpp.
#pragma once

#include <optional>
#include <string>

#include "base/stamp.hpp"
#include "schema/trace.hpp"

namespace kbench {

// 16 hexadecimal digits: the begin of the SHA-256 of its values, a line each in the order in which
// a record has them.
std::string basis_key(const Basis& basis);

// That of its configuration where it has one, else by its basis, with the version 0. Nothing of a
// record that says neither: other programs write such.
std::optional<Stamp> record_stamp(const Trace& trace);

}  // namespace kbench
