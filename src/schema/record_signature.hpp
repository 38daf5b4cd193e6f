// Who vouches for a record: src/schema/record_origin.hpp.
#pragma once

#include <string>
#include <tuple>

#include "schema/field.hpp"

namespace kbench {

struct RecordSignature {
  std::string key;    // the public one, 32 bytes of Ed25519 in Base64
  std::string value;  // 64 bytes in Base64, of the record's digest
  FieldSet present{};
};

constexpr auto fields(const RecordSignature*) {
  return std::tuple{Field{"key", &RecordSignature::key, Need::required, Rule::non_empty,
                          "The public key, 32 bytes of Ed25519 in Base64."},
                    Field{"value", &RecordSignature::value, Need::required, Rule::non_empty,
                          "What the key's owner has made of the digest, 64 bytes in Base64."}};
}

}  // namespace kbench
