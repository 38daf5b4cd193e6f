// A small map that keeps the order of insertion: in a Definition the order of inputs is the call
// signature.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kbench {

template <class T>
struct OrderedMap {
  std::vector<std::pair<std::string, T>> items;

  const T* find(std::string_view name) const {
    for (const auto& [key, value] : items) {
      if (key == name) return &value;
    }
    return nullptr;
  }
  // As JSON objects are read: a key given twice keeps its place and the last value.
  T& operator[](std::string_view name) {
    for (auto& [key, value] : items) {
      if (key == name) return value;
    }
    return items.emplace_back(std::string(name), T{}).second;
  }
  bool contains(std::string_view name) const { return find(name) != nullptr; }
  std::size_t size() const { return items.size(); }
  bool empty() const { return items.empty(); }
  auto begin() const { return items.begin(); }
  auto end() const { return items.end(); }
  auto begin() { return items.begin(); }
  auto end() { return items.end(); }
};

}  // namespace kbench
