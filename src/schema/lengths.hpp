// Lengths of axes for people: "M=64,N=128".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schema/ordered_map.hpp"

namespace kbench {

std::string lengths_text(const OrderedMap<std::int64_t>& axes, std::string_view between = ",");

}  // namespace kbench
