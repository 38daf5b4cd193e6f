// What is told of each definition by itself.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kbench {

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
