// Values as Python prints them: FlashInfer-Bench's messages hold lists and tuples.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace kbench {

// repr() of a str: 'M', "it's".
std::string python_string(std::string_view text);

// ['a', 'b'], in the order of the names.
std::string python_list(const std::set<std::string_view>& names);

// (2, 3), (4,), ()
std::string python_tuple(std::span<const std::int64_t> values);

}  // namespace kbench
