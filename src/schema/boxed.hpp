// A value that may be absent and lies elsewhere: std::optional for a large part that most records
// of a kind lack. Copied with what it holds. What copies and destroys it is not inline: a large
// part is compiled where it is declared by `template class`, not wherever a record is copied.
#pragma once

#include <memory>
#include <utility>

namespace kbench {

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

}  // namespace kbench
