// The tables of fields of RecordSignature.
#pragma once

#include <tuple>

#include "schema/field.hpp"
#include "schema/record_signature.hpp"

namespace kbench {

constexpr auto fields(const RecordSignature*) {
  return std::tuple{Field{"key", &RecordSignature::key, Need::required, Rule::non_empty,
                          "The public key, 32 bytes of Ed25519 in Base64."},
                    Field{"value", &RecordSignature::value, Need::required, Rule::non_empty,
                          "The signature of the line less this value, 64 bytes in Base64."}};
}

}  // namespace kbench
