// The table of fields of emulation_record.hpp.
#pragma once

#include <tuple>

#include "schema/emulation_record.hpp"
#include "schema/field.hpp"

namespace kbench {

constexpr auto fields(const EmulationRecord*) {
  return std::tuple{Field{"orders", &EmulationRecord::orders, Need::required, Rule::non_negative,
                          "Calls, each with an order of blocks, warps and lanes of its own."},
                    Field{"seed", &EmulationRecord::seed, Need::required, Rule::any,
                          "Seed of these orders, decimal."}};
}

}  // namespace kbench
