// That a solution in CUDA was judged on a processor: docs/emulation.md.
#pragma once

#include <cstdint>
#include <string>

#include "schema/field.hpp"

namespace kbench {

struct EmulationRecord {
  std::int64_t orders = 0;  // calls, each with an order of blocks, warps and lanes of its own
  std::string seed;         // of these orders, decimal
  FieldSet present{};
};

}  // namespace kbench
