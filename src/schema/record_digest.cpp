#include "schema/record_digest.hpp"

#include "base/digest.hpp"
#include "schema/to_json.hpp"

namespace kbench {

std::string record_digest(Trace trace) {
  if (trace.evaluation && trace.evaluation->kbench) {
    trace.evaluation->kbench->digest.reset();
    trace.evaluation->kbench->signature.reset();
  }
  return sha256_hex(to_json(trace, Dump::full));
}

bool is_sealed(std::string_view line, const json::Value& record) {
  const json::Value* const emulation = record.find("emulation");
  const json::Value* const evaluation =
      emulation != nullptr ? emulation : record.find("evaluation");
  const json::Value* const details = evaluation == nullptr ? nullptr : evaluation->find("kbench");
  if (details == nullptr) return false;
  const json::Value* const digest = details->find("digest");
  if (digest == nullptr || !digest->is_string()) return false;
  std::size_t end = digest->end;
  if (const json::Value* const signature = details->find("signature")) {
    // Nothing may stand between them that the digest does not cover.
    constexpr std::string_view between = ",\"signature\":";
    if (signature->begin != end + between.size() || line.substr(end, between.size()) != between)
      return false;
    end = signature->end;
  }
  thread_local std::string without;  // a line's memory serves the next one
  without.assign(line, 0, digest->begin).append("null").append(line.substr(end));
  return digest->text == sha256_hex(without);
}

}  // namespace kbench
