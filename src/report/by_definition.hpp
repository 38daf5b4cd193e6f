// What is told of each definition by itself.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace kbench {

// The items of each definition, in the order in which these come first. `name_of` says which one an
// item is of. They point to `items`.
template <class Items, class NameOf>
auto by_definition(const Items& items, const NameOf& name_of) {
  using Item = typename Items::value_type;
  std::vector<std::pair<std::string, std::vector<const Item*>>> groups;
  for (const Item& item : items) {
    const std::string& name = name_of(item);
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&name](const auto& one) { return one.first == name; });
    if (group == groups.end()) group = groups.insert(groups.end(), {name, {}});
    group->second.push_back(&item);
  }
  return groups;
}

}  // namespace kbench
