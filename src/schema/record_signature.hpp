// Trust in a record, as far as it shows by itself, and the key that vouches for it.
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
  edited,              // kbench's record, as it says of itself, whose digest is missing or another
  not_signed,          // no trusted key has signed it, where trust_only() has been called
  signed_in_old_form,  // signed by a trusted key, but its digest alone, which is not all of it
  // Speed-up, or the quotient of its times, outside of the interval, widened by half for what pairs
  // of turns tell more: whoever wrote that can give it any digest.
  contradictory,
  outdated,  // definition, workload or solution has changed since
};
constexpr std::size_t doubts = 6;

// Judges a record. Another program's has no digest: it is in doubt only if keys are asked for.
Doubt doubt_about(const Trace& trace);
std::string_view text_of(Doubt doubt);
// Says which figures of a record contradict each other, so that it counts nowhere; "": none do.
std::string contradiction_in(const Trace& trace);
// Warns of a contradictory record at its place.
void warn_of_contradiction(const Trace& trace, const std::string& file, int line, Diagnostics& out);

// Restricts belief to records that one of these public keys, those of `file`, has signed
// (--trusted-keys); none: signed or not.
void trust_only(std::optional<std::vector<std::string>> public_keys,
                const std::filesystem::path& file = {});
// Returns their file, for programs that are to believe the same records; "" where there is none.
const std::filesystem::path& trusted_keys_file();

// Signs the line that the record is written as, its digest already in it.
void sign(Trace& trace, const SigningKey& key);

// Returns the public key whose owner has signed it; "" where nobody has signed this record.
std::string signer_of(const Trace& trace);

// Numbers of signatures. remark(): "2 of 3 records have no signature" where the others have one,
// for a program that was not told which keys to trust; else "". Nothing is verified.
struct SignatureCount {
  std::size_t all = 0, without = 0;

  void note(const Trace& trace);
  std::string remark() const;
};

// Digest that tells an edited record from one as it was written.

// Returns the SHA-256, hexadecimal, of the whole record without its digest and its signature.
std::string record_digest(Trace trace);

// Sets what the bytes of its line say of a record that was read from them. A record is sealed if
// its bytes, but for digest and signature, have the digest: quick, and true of all that nobody
// touched since kbench wrote it. A record that another program wrote anew may be unedited, too.
void note_seals(std::string_view line, const json::Value& record, Trace& trace);

// Label of the calls that a record is of: schema/record_signature.hpp.

// Returns 16 hexadecimal digits: the begin of the SHA-256 of its values, a line each in the order
// in which a record has them.
std::string basis_key(const Basis& basis);

// Label by which profiles name calls: "kbench#<definition>/<solution>@<version>:<key>". Any
// character of a name but letters, digits, '_', '-' and '.' stands as "%2F": so, whatever a record
// may be called, a label is one word of ASCII and leads back to the name.
struct Stamp {
  std::string definition;
  std::string solution;
  std::string version = "0";  // the solution's, as its author counts
  std::string key;            // 16 hexadecimal digits: hash of the basis of a record or an entry
};

std::string stamp_label(const Stamp& stamp);

}  // namespace kbench
