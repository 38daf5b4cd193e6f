// Whether a record is to be believed, as far as it shows by itself, and who vouches for it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/signing.hpp"
#include "schema/trace.hpp"

namespace kbench {

enum class Doubt {
  none,
  edited,      // kbench wrote it, as it says of itself, and its digest is missing or another
  not_signed,  // by a key that is trusted, where trust_only() has been called
  signed_in_old_form,  // likewise, but a trusted key has signed its digest, which is not all of it
  // Its speed-up, or the quotient of its times, lies outside of the interval, widened by half for
  // what pairs of turns tell more: whoever wrote that can give it any digest.
  contradictory,
  outdated,  // its definition, workload or solution has changed since
};
constexpr std::size_t doubts = 6;

// A record of another program has no digest, and is in doubt only where keys are asked for.
Doubt doubt_about(const Trace& trace);
std::string_view text_of(Doubt doubt);
// Warns of a contradictory record at its place.
void warn_of_contradiction(const Trace& trace, const std::string& file, int line, Diagnostics& out);

// From now on only records count that one of these public keys, those of `file`, has signed
// (--trusted-keys); none: signed or not.
void trust_only(std::optional<std::vector<std::string>> public_keys,
                const std::filesystem::path& file = {});
// Their file, for programs that are to believe the same records; "" where there is none.
const std::filesystem::path& trusted_keys_file();

// Signs the line that the record is written as. It has its digest.
void sign(Trace& trace, const SigningKey& key);

// The public key whose owner has signed it; "" where nobody has, or where the signature is another
// record's.
std::string signer_of(const Trace& trace);

// Says "2 of 3 records have no signature" where the others have one, for a program that was not
// told which keys to trust; else "". Nothing is verified.
struct SignatureCount {
  std::size_t all = 0, without = 0;

  void note(const Trace& trace);
  std::string remark() const;
};

}  // namespace kbench
