// Where in a planned run a record was made: docs/cluster.md.
#pragma once

#include <cstdint>
#include <string>

#include "schema/field.hpp"

namespace kbench {

struct RunRecord {
  std::string plan;  // begin of the SHA-256 of its file
  std::int64_t shard = 0;
  std::int64_t attempt = 0;  // how often the shard was begun before
  std::string node;          // the host's name
  std::string pair;          // the digest that the plan has of what was judged
  FieldSet present{};
};

}  // namespace kbench
