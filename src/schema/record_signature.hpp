// Who vouches for a record: src/schema/record_origin.hpp.
#pragma once

#include <string>

#include "schema/field.hpp"

namespace kbench {

struct RecordSignature {
  std::string key;    // the public one, 32 bytes of Ed25519 in Base64
  std::string value;  // 64 bytes in Base64, of the rest of the record's line
  FieldSet present{};
};

}  // namespace kbench
