// Fields of CSV, RFC 4180.
#pragma once

#include <string>
#include <string_view>

namespace kbench {

// In quotes where it holds a comma, a quote or an end of line.
std::string csv_field(std::string_view text);

}  // namespace kbench
