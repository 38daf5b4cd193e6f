// What tells an edited record from one as it was written.
#pragma once

#include <string>

#include "schema/trace.hpp"

namespace kbench {

// SHA-256, hexadecimal, of the record as written in full without its digest.
std::string record_digest(Trace trace);

}  // namespace kbench
