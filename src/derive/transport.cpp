#include "derive/transport.hpp"

#include <algorithm>

namespace kbench {
namespace {

constexpr Transport table[] = {
    {"turn", "ranks one after the other, each with the whole machine; no collectives", false,
     &run_in_turn},
    {"processes", "ranks at once, a process each, with collectives over shared memory", true,
     &run_at_once},
};

}  // namespace

std::span<const Transport> transports() { return table; }

const Transport* find_transport(std::string_view name) {
  const auto found = std::find_if(std::begin(table), std::end(table),
                                  [name](const Transport& one) { return one.name == name; });
  return found == std::end(table) ? nullptr : found;
}

std::vector<std::string> transport_names() {
  std::vector<std::string> names;
  for (const Transport& one : table) names.emplace_back(one.name);
  return names;
}

}  // namespace kbench
