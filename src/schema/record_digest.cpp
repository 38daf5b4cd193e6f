#include "schema/record_digest.hpp"

#include "base/digest.hpp"
#include "schema/write.hpp"

namespace kbench {

std::string record_digest(Trace trace) {
  if (trace.evaluation && trace.evaluation->kbench) trace.evaluation->kbench->digest.reset();
  return sha256_hex(to_json(trace, Dump::full));
}

bool is_edited(const Trace& trace) {
  if (!trace.evaluation || !trace.evaluation->kbench) return false;
  const auto& digest = trace.evaluation->kbench->digest;
  return digest && *digest != record_digest(trace);
}

}  // namespace kbench
