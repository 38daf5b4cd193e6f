// Whether a record is to be believed, as far as it shows by itself, and who vouches for it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/json.hpp"
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

// What tells an edited record from one as it was written.

// SHA-256, hexadecimal, of the record as written in full without its digest and its signature.
std::string record_digest(Trace trace);

// Sets what the bytes of its line say of a record that was read from them. Sealed is one whose
// bytes, but for digest and signature, have the digest: quick, and true of what nobody touched
// since kbench wrote it. What was written anew by another program may be unedited, too.
void note_seals(std::string_view line, const json::Value& record, Trace& trace);

// The label of the calls that a record is of: schema/record_origin.hpp.

// 16 hexadecimal digits: the begin of the SHA-256 of its values, a line each in the order in which
// a record has them.
std::string basis_key(const Basis& basis);

// Labels by which profiles name calls: "kbench#<definition>/<solution>@<version>:<key>". In names,
// what is no letter, digit, '_', '-' or '.' stands as "%2F", so that whatever a record may be
// called, a label is one word of ASCII and leads back to the name.
struct Stamp {
  std::string definition;
  std::string solution;
  std::string version = "0";  // of the solution, as its author counts
  std::string key;            // 16 hexadecimal digits: of what a record or an entry rests on
};

std::string stamp_label(const Stamp& stamp);

}  // namespace kbench
