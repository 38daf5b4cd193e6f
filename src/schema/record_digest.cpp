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

void note_seals(std::string_view line, const json::Value& record, Trace& trace) {
  const json::Value* const emulation = record.find("emulation");
  const bool is_emulated = emulation != nullptr && emulation->kind != json::Kind::null;
  const json::Value* const evaluation = is_emulated ? emulation : record.find("evaluation");
  const json::Value* const details = evaluation == nullptr ? nullptr : evaluation->find("kbench");
  const json::Value* const digest = details == nullptr ? nullptr : details->find("digest");
  if (digest == nullptr || !digest->is_string()) return;
  std::size_t end = digest->end;
  thread_local std::string without;  // a line's memory serves the next one
  if (const json::Value* const signature = details->find("signature")) {
    // Nothing may stand between them that the digest does not cover.
    constexpr std::string_view between = ",\"signature\":";
    if (signature->begin != end + between.size() || line.substr(end, between.size()) != between)
      return;
    end = signature->end;
    const json::Value* const value = signature->find("value");
    if (value != nullptr && value->end - value->begin == value->text.size() + 2) {
      without.assign(line, 0, value->begin).append("\"\"").append(line.substr(value->end));
      trace.signed_digest = sha256_hex(without);
    }
  }
  without.assign(line, 0, digest->begin).append("null").append(line.substr(end));
  trace.is_sealed = digest->text == sha256_hex(without);
}

}  // namespace kbench
