#include "schema/record_digest.hpp"

#include "base/digest.hpp"
#include "schema/write.hpp"

namespace kbench {

std::string record_digest(Trace trace) {
  if (trace.evaluation && trace.evaluation->kbench) trace.evaluation->kbench->digest.reset();
  return sha256_hex(to_json(trace, Dump::full));
}

bool is_sealed(std::string_view line, const json::Value& record) {
  const json::Value* value = &record;
  for (const std::string_view key : {"evaluation", "kbench", "digest"}) {
    value = value->find(key);
    if (value == nullptr) return false;
  }
  if (!value->is_string()) return false;
  thread_local std::string without;  // a line's memory serves the next one
  without.assign(line, 0, value->begin).append("null").append(line.substr(value->end));
  return value->text == sha256_hex(without);
}

bool is_edited(const Trace& trace) {
  if (trace.is_sealed || !trace.evaluation || !trace.evaluation->kbench) return false;
  const auto& digest = trace.evaluation->kbench->digest;
  return digest && *digest != record_digest(trace);
}

}  // namespace kbench
