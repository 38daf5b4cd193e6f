// SPDX-License-Identifier: Apache-2.0
// Arguments of a caller made ready for a kernel, whoever calls: PyTorch (kbench_torch.h) or TVM-FFI
// (kbench_tvm_ffi.h). C++17.
#ifndef KBENCH_HELD_H_
#define KBENCH_HELD_H_

#include <deque>
#include <optional>
#include <string>
#include <type_traits>

#include "kbench_tensor.h"

namespace kbench::kernels {

enum class Role : size_t {
  input,
  in_place,  // written; its sizes stay
  output,    // written; it gets the sizes of the result
};

// Argument of a call. Its `refuse` ends the call: `problem` says what is wrong with it.
template <typename Call>
struct Place {
  Call& call;
  size_t index;
  Role role = Role::input;

  decltype(auto) value() const { return call.argument(index); }
  [[noreturn]] void refuse(const std::string& problem) const { call.refuse(index, problem); }
};

// Returns the arguments of a call for the end of an error message: "; called with self Float[0,1]
// (3, 4)". name(i) is of an argument, text(i) of its tensors: "" for one that has none.
template <typename Name, typename Text>
std::string called_with(size_t count, const Name& name, const Text& text) {
  std::string out;
  for (size_t i = 0; i < count; ++i) {
    const std::string tensors = text(i);
    if (!tensors.empty()) out += (out.empty() ? "; called with " : ", ") + name(i) + " " + tensors;
  }
  return out;
}

// Lists the text of each item that has one; "" where none has.
template <typename Items, typename Text>
std::string list_text(const Items& items, const Text& text) {
  std::string out;
  for (const auto& item : items) {
    const std::string one = text(item);
    if (!one.empty()) out += (out.empty() ? "[" : ", ") + one;
  }
  return out.empty() ? out : out + "]";
}

// Holder of an argument's targets for as long as its kernel runs. The kernel gets value();
// write_back(), for one that is written, comes after the kernel. This one is for types that point
// to nothing.
//
// A Host reads a caller's values: the types Call, Value (of an argument), List<T> (like
// std::vector) and HeldTensor; read<T>(place, value), is_none(value) and items(place, value), the
// values that are in a list.
template <typename Host, typename T>
class Held {
 public:
  using Place = kernels::Place<typename Host::Call>;
  explicit Held(const Place& place) : Held(place, place.value()) {}
  Held(const Place& place, const typename Host::Value& value)
      : value_(Host::template read<T>(place, value)) {}
  T value() const { return value_; }
  void write_back() {}

 private:
  T value_;
};

template <typename Host>
class Held<Host, Tensor> : public Host::HeldTensor {
 public:
  using Host::HeldTensor::HeldTensor;
};

template <typename Host, typename T>
class Held<Host, std::optional<T>> {
 public:
  using Place = kernels::Place<typename Host::Call>;
  explicit Held(const Place& place) : Held(place, place.value()) {}
  Held(const Place& place, const typename Host::Value& value) {
    if (Host::is_none(value)) return;
    held_.emplace(place, value);
    value_.emplace(held_->value());
  }
  const std::optional<T>& value() const { return value_; }
  void write_back() {
    if (held_) held_->write_back();
  }

 private:
  std::optional<Held<Host, T>> held_;
  std::optional<T> value_;
};

template <typename Host, typename T>
class Held<Host, ArrayRef<T>> {
 public:
  using Place = kernels::Place<typename Host::Call>;
  explicit Held(const Place& place) : Held(place, place.value()) {}
  Held(const Place& place, const typename Host::Value& value) {
    for (const typename Host::Value& item : Host::items(place, value)) {
      held_.emplace_back(place, item);
      values_.push_back({held_.back().value()});
    }
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ArrayRef<T> value() const {
    return {values_.empty() ? nullptr : &values_.front().value, values_.size()};
  }
  void write_back() {
    for (Held<Host, T>& one : held_) one.write_back();
  }

 private:
  struct Item {
    T value;  // a std::vector<bool> has none to point to
  };
  template <typename One>
  using List = typename Host::template List<One>;
  static constexpr bool is_plain = std::is_copy_constructible_v<Held<Host, T>>;
  // Targets of pointers keep their places.
  std::conditional_t<is_plain, List<Held<Host, T>>, std::deque<Held<Host, T>>> held_;
  List<Item> values_;
};

}  // namespace kbench::kernels

#endif  // KBENCH_HELD_H_
