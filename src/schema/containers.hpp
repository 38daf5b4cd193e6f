// Containers of records: a map that keeps the order of insertion, a part that may be absent, JSON
// text that is kept.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kbench {

// Small map in the order of insertion: the order of a Definition's inputs is the call signature.
template <class T>
struct OrderedMap {
  std::vector<std::pair<std::string, T>> items;

  const T* find(std::string_view name) const {
    for (const auto& [key, value] : items)
      if (key == name) return &value;
    return nullptr;
  }
  // A key given twice keeps its place and gets the last value, as in JSON objects.
  T& operator[](std::string_view name) {
    for (auto& [key, value] : items)
      if (key == name) return value;
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

// Value that may be absent and lies elsewhere: std::optional for a large part that most records of
// a kind lack. Copies copy the value. The code to copy and destroy it is not inline: a large part
// is compiled where it is declared by `template class`, not wherever a record is copied.
template <class T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(T value);
  Boxed(const Boxed& other);
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    held_ = std::move(other.held_);
    return *this;
  }
  ~Boxed();

  explicit operator bool() const { return held_ != nullptr; }
  bool has_value() const { return held_ != nullptr; }
  T& operator*() { return *held_; }
  const T& operator*() const { return *held_; }
  T* operator->() { return held_.get(); }
  const T* operator->() const { return held_.get(); }

  T& emplace();
  void reset() { held_.reset(); }

 private:
  std::unique_ptr<T> held_;
};

template <class T>
Boxed<T>::Boxed(T value) : held_(std::make_unique<T>(std::move(value))) {}

template <class T>
Boxed<T>::Boxed(const Boxed& other) : held_(other ? std::make_unique<T>(*other) : nullptr) {}

template <class T>
Boxed<T>::~Boxed() = default;

template <class T>
T& Boxed<T>::emplace() {
  held_ = std::make_unique<T>();
  return *held_;
}

// JSON text kept as it was read, for values whose form is not ours.
struct RawJson {
  std::string text;  // one valid JSON value, compact
};

}  // namespace kbench
