#include "judge/derive/transport.hpp"

#include <algorithm>

namespace kbench {
namespace {

constexpr Transport transport_rows[] = {
    {"turn", "ranks one after the other, each with the whole machine; no collectives", false,
     &run_in_turn},
    {"processes", "ranks at once, a process each, with collectives over shared memory", true,
     &run_at_once},
};

}  // namespace

const Transport* find_transport(std::string_view name) {
  const auto found = std::find_if(std::begin(transport_rows), std::end(transport_rows),
                                  [name](const Transport& one) { return one.name == name; });
  return found == std::end(transport_rows) ? nullptr : found;
}

std::vector<std::string> transport_names() {
  std::vector<std::string> names;
  for (const Transport& one : transport_rows) names.emplace_back(one.name);
  return names;
}

}  // namespace kbench
