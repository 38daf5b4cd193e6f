// What tells an edited record from one as it was written.
#pragma once

#include <string>
#include <string_view>

#include "base/json.hpp"
#include "schema/trace.hpp"

namespace kbench {

// SHA-256, hexadecimal, of the record as written in full without its digest and its signature.
std::string record_digest(Trace trace);

// Sets what the bytes of its line say of a record that was read from them. Sealed is one whose
// bytes, but for digest and signature, have the digest: quick, and true of what nobody touched
// since kbench wrote it. What was written anew by another program may be unedited, too.
void note_seals(std::string_view line, const json::Value& record, Trace& trace);

}  // namespace kbench
