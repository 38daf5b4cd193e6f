// What tells an edited record from one as it was written.
#pragma once

#include <string>

#include "schema/trace.hpp"

namespace kbench {

// SHA-256, hexadecimal, of the record as written in full without its digest.
std::string record_digest(Trace trace);

// It has a digest, and that is another's. A record without one, as other programs write them, is
// none.
bool is_edited(const Trace& trace);

}  // namespace kbench
