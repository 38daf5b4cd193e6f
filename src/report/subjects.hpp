// What records are told together under: their definition, and their machine where there are
// several.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schema/trace.hpp"

namespace kbench {

class Subjects {
 public:
  explicit Subjects(std::span<const Trace> traces);  // evaluated ones among them

  // "rmsnorm_h128"; where not all are of one machine "rmsnorm_h128 on AMD EPYC 9B45", of several
  // of that kind with the begin of what tells them apart: "… (6e34f1)".
  std::string of(const Trace& trace) const;

 private:
  using Machine = std::pair<std::string, std::string>;  // hardware, and what tells it from others
  std::map<Machine, std::string> names_;
};

// "my_kernel/rmsnorm_h128/batch_size=4", as programs for benchmarks name them: a '/' parts a name
// from its arguments.
std::string benchmark_name(const Trace& trace, const Subjects& subjects);

// What is told of each definition by itself.

// The items of each definition, in the order in which these come first. `name_of` says which one an
// item is of. They point to `items`.
template <class Items, class NameOf>
auto by_definition(const Items& items, const NameOf& name_of) {
  using Item = typename Items::value_type;
  std::vector<std::pair<std::string, std::vector<const Item*>>> groups;
  std::unordered_map<std::string, std::size_t> places;
  for (const Item& item : items) {
    const std::string& name = name_of(item);
    const auto [place, is_new] = places.try_emplace(name, groups.size());
    if (is_new) groups.push_back({name, {}});
    groups[place->second].second.push_back(&item);
  }
  return groups;
}

}  // namespace kbench
