// What numbers an option takes: checks that return "" for a good value, else what is wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

namespace kbench {

using ValueCheck = std::function<std::string(const std::string& text)>;

constexpr double any_size = std::numeric_limits<double>::max();  // but not infinity

// Nothing for what is no integer of 64 bits.
std::optional<std::int64_t> parse_integer(const std::string& text);
ValueCheck integer(std::int64_t lowest, std::int64_t highest);
ValueCheck unsigned_integer();  // of 64 bits
ValueCheck positive(double highest = any_size);
ValueCheck number(double lowest, double highest = any_size);

// "0.5%" or "0.005"; nothing for what is no such number, or not within 0 and 1.
std::optional<double> parse_share(const std::string& text);
ValueCheck share();

}  // namespace kbench
