#include "schema/record_origin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "schema/record_digest.hpp"

namespace kbench {
namespace {

std::optional<std::vector<std::string>> trusted;
std::filesystem::path trusted_file;

// So that no other text of 64 digits that a key signs is a record.
std::string signed_text(const std::string& digest) { return "kbench record 1\n" + digest; }

bool is_edited(const Trace& trace) {
  if (trace.is_sealed || !trace.evaluation) return false;
  const auto& details = trace.evaluation->kbench;
  if (!details) return trace.evaluation->environment.libs.contains("kbench");
  return !details->digest || *details->digest != record_digest(trace);
}

}  // namespace

Doubt doubt_about(const Trace& trace) {
  if (is_edited(trace)) return Doubt::edited;
  if (!trusted) return Doubt::none;
  const std::string signer = signer_of(trace);
  const bool is_known = std::find(trusted->begin(), trusted->end(), signer) != trusted->end();
  return is_known ? Doubt::none : Doubt::not_signed;
}

std::string_view text_of(Doubt doubt) {
  constexpr std::array<std::string_view, 3> texts = {
      "", "it was changed after it was written: its digest is another, or is missing",
      "no key that is trusted has signed it"};
  return texts.at(static_cast<std::size_t>(doubt));
}

void trust_only(std::optional<std::vector<std::string>> public_keys,
                const std::filesystem::path& file) {
  trusted = std::move(public_keys);
  trusted_file = file;
}

const std::filesystem::path& trusted_keys_file() { return trusted_file; }

void sign(Trace& trace, const SigningKey& key) {
  auto& details = trace.evaluation->kbench;
  details->signature = {key.public_key(), key.sign(signed_text(*details->digest)), {}};
}

std::string signer_of(const Trace& trace) {
  if (!trace.evaluation || !trace.evaluation->kbench) return "";
  const auto& details = trace.evaluation->kbench;
  if (!details->digest || !details->signature) return "";
  const auto& [key, value, present] = *details->signature;
  return is_signed(signed_text(*details->digest), value, key) ? key : "";
}

void SignatureCount::note(const Trace& trace) {
  ++all;
  const auto& details = trace.evaluation->kbench;
  without += details && details->signature ? 0 : 1;
}

std::string SignatureCount::remark() const {
  if (without == 0 || without == all) return "";
  return fmt::format("{} of {} have no signature: --trusted-keys FILE leaves them out", without,
                     counted(all, "record"));
}

}  // namespace kbench
