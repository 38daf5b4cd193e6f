#include "schema/record_signature.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/digest.hpp"
#include "base/text.hpp"
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
  thread_local std::string without;  // reuses a line's memory for the next one
  if (const json::Value* const signature = details->find("signature")) {
    // Bytes between digest and signature, fixed ones: the digest would not cover any others.
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

namespace {

std::optional<std::vector<std::string>> trusted;
std::filesystem::path trusted_file;

// Signed text: its first line keeps any other 64 digits that a key signs from being a record.
std::string signed_text(const std::string& digest) { return "kbench record 2\n" + digest; }

const RecordSignature* signature_of(const Trace& trace) {
  if (!trace.evaluation || !trace.evaluation->kbench) return nullptr;
  const auto& signature = trace.evaluation->kbench->signature;
  return signature ? &*signature : nullptr;
}

bool is_trusted(const std::string& key) {
  return std::find(trusted->begin(), trusted->end(), key) != trusted->end();
}

// Signatures were of the digest alone until 2026-11-29.
bool is_signed_in_old_form(const Trace& trace) {
  const RecordSignature* const signature = signature_of(trace);
  const auto digest = signature == nullptr ? std::nullopt : trace.evaluation->kbench->digest;
  return digest && is_trusted(signature->key) &&
         is_signed("kbench record 1\n" + *digest, signature->value, signature->key);
}

bool is_edited(const Trace& trace) {
  if (trace.is_sealed || !trace.evaluation) return false;
  const auto& details = trace.evaluation->kbench;
  if (!details) return trace.evaluation->environment.libs.contains("kbench");
  return !details->digest || *details->digest != record_digest(trace);
}

// Returns "": the speed-up is that of the times, as far as its interval tells.
std::string speedup_problem(const Timing& timing) {
  if (!timing.speedup) return "";
  const auto& ends = timing.speedup->interval;
  const auto reference_ns =
      timing.reference_latency_ns ? timing.reference_latency_ns : timing.reference_median_ns;
  if (!timing.speedup->ratio || !ends || ends->size() != 2 || !reference_ns) return "";
  const double low = std::log(ends->front()), high = std::log(ends->back());
  for (const double ratio :
       {*timing.speedup->ratio, *reference_ns / timing.latency_ns.value_or(timing.median_ns)}) {
    const double off = std::abs(std::log(ratio) - (low + high) / 2);
    if (!(off <= 1.5 * (high - low) / 2 + 1e-9))
      return fmt::format("its speed-up is not that of its times, {:.3g}x", ratio);
  }
  return "";
}

// Looks at what another program has measured: its quotient may be rounded.
std::string foreign_problem(const Performance& performance) {
  constexpr double nanosecond = 1e-6;  // milliseconds
  const auto& [latency, reference, speedup, present] = performance;
  if ((latency > 0 && latency < nanosecond) || (reference > 0 && reference < nanosecond))
    return "its times are shorter than a nanosecond";
  const bool has_all = latency > 0 && reference > 0 && speedup > 0;
  if (!has_all || std::abs(speedup * latency / reference - 1) <= 0.01) return "";
  return fmt::format("its speed-up is not that of its times, {:.3g}x", reference / latency);
}

// Local times have no zone: two days are enough for any. A newer record replaces an older one.
bool is_of_the_future(const std::string& timestamp) {
  static const std::string limit =
      fmt::format("{:%Y-%m-%d}", std::chrono::system_clock::now() + std::chrono::days(2));
  return timestamp.substr(0, 10) > limit;
}

}  // namespace

std::string contradiction_in(const Trace& trace) {
  if (!trace.evaluation) return "";
  if (is_of_the_future(trace.evaluation->timestamp)) return "its time stamp lies in the future";
  if (!trace.evaluation->kbench && trace.evaluation->performance)
    return foreign_problem(*trace.evaluation->performance);
  if (!trace.evaluation->kbench || !trace.evaluation->kbench->timing) return "";
  const Timing& timing = *trace.evaluation->kbench->timing;
  const auto& ends = timing.latency_interval_ns;
  const bool is_within =
      !timing.latency_ns || !ends || ends->size() != 2 ||
      (ends->front() <= *timing.latency_ns && *timing.latency_ns <= ends->back());
  return is_within ? speedup_problem(timing) : "its latency lies outside of its interval";
}

void warn_of_contradiction(const Trace& trace, const std::string& file, int line,
                           Diagnostics& out) {
  if (const std::string why = contradiction_in(trace); !why.empty())
    out.warning({file, line, 1, "", ""}, why + ": it counts nowhere");
}

Doubt doubt_about(const Trace& trace) {
  if (is_edited(trace)) return Doubt::edited;
  if (!contradiction_in(trace).empty()) return Doubt::contradictory;
  if (trace.is_outdated) return Doubt::outdated;
  if (!trusted) return Doubt::none;
  if (is_trusted(signer_of(trace))) return Doubt::none;
  return is_signed_in_old_form(trace) ? Doubt::signed_in_old_form : Doubt::not_signed;
}

std::string_view text_of(Doubt doubt) {
  constexpr std::array<std::string_view, doubts> texts = {
      "",
      "it was changed after it was written: its digest is another, or is missing",
      "no key that is trusted has signed it",
      "its signature is in the old form, which covers its digest alone: judge it again",
      "its figures contradict each other",
      "its definition, workload or solution has changed since: judge it again"};
  return texts.at(static_cast<std::size_t>(doubt));
}

void trust_only(std::optional<std::vector<std::string>> public_keys,
                const std::filesystem::path& file) {
  trusted = std::move(public_keys);
  trusted_file = file;
}

const std::filesystem::path& trusted_keys_file() { return trusted_file; }

void sign(Trace& trace, const SigningKey& key) {
  auto& signature = trace.evaluation->kbench->signature;
  signature = {key.public_key(), "", {}};
  trace.signed_digest = sha256_hex(to_json(trace, Dump::full));
  signature->value = key.sign(signed_text(trace.signed_digest));
}

std::string signer_of(const Trace& trace) {
  const RecordSignature* const signature = signature_of(trace);
  if (signature == nullptr || trace.signed_digest.empty()) return "";
  const auto& [key, value, present] = *signature;
  return is_signed(signed_text(trace.signed_digest), value, key) ? key : "";
}

void SignatureCount::note(const Trace& trace) {
  ++all;
  without += signature_of(trace) == nullptr ? 1 : 0;
}

std::string SignatureCount::remark() const {
  if (without == 0 || without == all) return "";
  return fmt::format("{} of {} have no signature: --trusted-keys FILE leaves them out", without,
                     counted(all, "record"));
}

std::string basis_key(const Basis& basis) {
  std::vector<std::string> lines = {basis.definition,       basis.workload,
                                    basis.solution,         basis.compiler.value_or(""),
                                    join(basis.flags, " "), basis.machine};
  if (basis.prepare) lines.push_back(*basis.prepare);
  return sha256_hex(join(lines, "\n")).substr(0, 16);
}

namespace {

// Tells whether it stands for itself in a label.
bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

std::string encoded(std::string_view name) {
  std::string out;
  for (const char c : name)
    out += is_plain(c) ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

}  // namespace

std::string stamp_label(const Stamp& stamp) {
  return fmt::format("kbench#{}/{}@{}:{}", encoded(stamp.definition), encoded(stamp.solution),
                     encoded(stamp.version), stamp.key);
}

}  // namespace kbench
