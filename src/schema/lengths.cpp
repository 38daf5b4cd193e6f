#include "schema/lengths.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/text.hpp"

namespace kbench {

std::string lengths_text(const OrderedMap<std::int64_t>& axes, std::string_view between) {
  std::vector<std::string> out;
  for (const auto& [name, length] : axes) out.push_back(fmt::format("{}={}", name, length));
  return join(out, between);
}

}  // namespace kbench
