#include "schema/record_digest.hpp"

#include "base/digest.hpp"
#include "schema/write.hpp"

namespace kbench {

std::string record_digest(Trace trace) {
  if (trace.evaluation && trace.evaluation->kbench) trace.evaluation->kbench->digest.reset();
  return sha256_hex(to_json(trace, Dump::full));
}

}  // namespace kbench
