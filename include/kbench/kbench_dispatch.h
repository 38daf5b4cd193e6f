// SPDX-License-Identifier: Apache-2.0
// Choice of the kernel of an operator that serves a call: the Functions.h that "kbench kernels
// codegen" writes uses it. The table of an operator is made when it is compiled; a lookup compares
// two words a tensor, whatever the number of kernels.
#ifndef KBENCH_DISPATCH_H_
#define KBENCH_DISPATCH_H_

#include "kbench_kernel.h"

// Tells whether this processor has a feature, by GCC's name of it: "avx512f".
#if defined(__x86_64__) || defined(__i386__)
#define KBENCH_CPU_SUPPORTS(feature) (__builtin_cpu_supports(feature) != 0)
#else
#define KBENCH_CPU_SUPPORTS(feature) false
#endif

namespace kbench::kernels {

// Element type and dim order of a tensor, packed: each dimension has four bits.
struct TensorKey {
  uint64_t order = 0;
  uint32_t type = 0;  // ScalarType + 1, above that the rank, and `is_given`; 0: no tensor

  friend constexpr bool operator==(const TensorKey& a, const TensorKey& b) {
    return a.order == b.order && a.type == b.type;
  }
};

constexpr uint32_t is_given = 1u << 16;  // keeps rank 0 of any type from being a missing tensor

inline TensorKey key_of(const Tensor& tensor) {
  const auto dims = tensor.dim_order();
  TensorKey key;
  for (size_t i = 0; i < dims.size(); ++i) key.order |= uint64_t{dims[i]} << (4 * i);
  const auto type = static_cast<uint32_t>(static_cast<int>(tensor.scalar_type()) + 1);
  key.type = type | static_cast<uint32_t>(dims.size()) << 8 | is_given;
  return key;
}
template <typename T>
TensorKey key_of(const std::optional<T>& one);
// Takes a list as the first tensor in it.
template <typename T>
TensorKey key_of(ArrayRef<T> list) {
  for (const T& one : list) {
    const TensorKey key = key_of(one);
    if (key.type != 0) return key;
  }
  return {};
}
template <typename T>
TensorKey key_of(const std::optional<T>& one) {
  return one ? key_of(*one) : TensorKey{};
}

// Tensors that a kernel is for: `type` is a ScalarType, or any_type, or no_tensor; rank and
// dimensions are nothing where any dim order will do.
constexpr int any_type = -1;
constexpr int no_tensor = -2;
struct TensorCase {
  TensorKey key;
  TensorKey mask;  // key bits that count
};
constexpr TensorCase any_order(int type) {
  if (type == no_tensor) return {{}, {~uint64_t{0}, ~uint32_t{0}}};
  if (type == any_type) return {};
  return {{0, static_cast<uint32_t>(type + 1)}, {0, 0xff}};
}
template <typename... Dims>
constexpr TensorCase in_order(int type, Dims... dims) {
  TensorCase one = any_order(type);
  const uint64_t all[] = {static_cast<uint64_t>(dims)..., 0};
  for (size_t i = 0; i < sizeof...(dims); ++i) one.key.order |= all[i] << (4 * i);
  one.key.type |= static_cast<uint32_t>(sizeof...(dims)) << 8 | is_given;
  one.mask.order = ~uint64_t{0};
  one.mask.type |= ~uint32_t{0xff};
  return one;
}

// Tensors of a kernel, and its number: the lower one goes first.
template <size_t Tensors>
struct Case {
  TensorCase tensors[Tensors];
  int kernel;
};

// Hash table of the cases of an operator, which come in the order of their numbers. One probe finds
// those with the same masks; wildcards make several sets of masks.
template <size_t Tensors, size_t Cases>
class CaseTable {
 public:
  constexpr explicit CaseTable(const Case<Tensors> (&cases)[Cases]) {
    for (size_t i = 0; i < Cases; ++i) insert(cases[i]);
  }

  // Returns the number of the kernel, -1 where none is for these tensors.
  int find(const TensorKey (&keys)[Tensors]) const {
    return find_if(keys, [](int) { return true; });
  }
  // Finds only kernels that this processor can run.
  template <size_t Kernels>
  int find(const TensorKey (&keys)[Tensors], const bool (&usable)[Kernels]) const {
    return find_if(keys, [&](int kernel) { return usable[kernel]; });
  }

 private:
  // Empty entries are 0 in all: GCC 12 makes elements of constexpr arrays so that no statement
  // touches, whatever their initializers say.
  struct Entry {
    TensorKey keys[Tensors] = {};
    int mask = 0;  // counted from 1
    int kernel = 0;

    constexpr bool is_taken() const { return mask != 0; }
  };
  struct Masks {
    TensorKey of[Tensors] = {};
    int first = 0;  // first of the kernels with these masks
  };

  template <typename IsUsable>
  int find_if(const TensorKey (&keys)[Tensors], IsUsable is_usable) const {
    int found = -1;
    for (size_t i = 0; i < mask_count_ && (found < 0 || masks_[i].first < found); ++i) {
      const Entry wanted = masked(keys, i);
      for (size_t slot = slot_of(wanted); slots_[slot].is_taken(); slot = (slot + 1) % size) {
        const Entry& entry = slots_[slot];
        if (!is_same(entry, wanted) || !is_usable(entry.kernel)) continue;
        if (found < 0 || entry.kernel < found) found = entry.kernel;
        break;  // later ones of the same tensors have higher numbers
      }
    }
    return found;
  }

  static constexpr size_t power_above(size_t n) {
    size_t power = 2;
    while (power < n) power *= 2;
    return power;
  }
  static constexpr size_t size = power_above(2 * Cases);

  constexpr Entry masked(const TensorKey (&keys)[Tensors], size_t index) const {
    const Masks& masks = masks_[index];
    Entry entry;
    for (size_t i = 0; i < Tensors; ++i) {
      entry.keys[i].order = keys[i].order & masks.of[i].order;
      entry.keys[i].type = keys[i].type & masks.of[i].type;
    }
    entry.mask = static_cast<int>(index) + 1;
    return entry;
  }

  static constexpr bool is_same(const Entry& a, const Entry& b) {
    if (a.mask != b.mask) return false;
    for (size_t i = 0; i < Tensors; ++i) {
      if (!(a.keys[i] == b.keys[i])) return false;
    }
    return true;
  }

  static constexpr size_t slot_of(const Entry& entry) {
    uint64_t hash = static_cast<uint64_t>(entry.mask);
    for (size_t i = 0; i < Tensors; ++i) {
      hash = (hash ^ entry.keys[i].order) * 0x9e3779b97f4a7c15u;
      hash = (hash ^ entry.keys[i].type) * 0xff51afd7ed558ccdu;
    }
    return static_cast<size_t>(hash >> 32) % size;
  }

  constexpr size_t mask_index(const Case<Tensors>& one) {
    Masks masks;
    for (size_t i = 0; i < Tensors; ++i) masks.of[i] = one.tensors[i].mask;
    masks.first = one.kernel;
    for (size_t m = 0; m < mask_count_; ++m) {
      bool same = true;
      for (size_t i = 0; i < Tensors; ++i) same = same && masks_[m].of[i] == masks.of[i];
      if (same) return m;
    }
    masks_[mask_count_] = masks;
    return mask_count_++;
  }

  constexpr void insert(const Case<Tensors>& one) {
    const size_t mask = mask_index(one);
    TensorKey keys[Tensors] = {};
    for (size_t i = 0; i < Tensors; ++i) keys[i] = one.tensors[i].key;
    Entry entry = masked(keys, mask);
    entry.kernel = one.kernel;
    size_t slot = slot_of(entry);
    while (slots_[slot].is_taken()) slot = (slot + 1) % size;
    slots_[slot] = entry;
  }

  Entry slots_[size] = {};
  Masks masks_[Cases] = {};
  size_t mask_count_ = 0;
};

// Result of a function of Functions.h where no kernel serves: nothing that can be used.
template <typename T>
struct Nothing {
  static T value() { return T(); }
};
template <>
struct Nothing<Tensor> {
  static Tensor value() { return Tensor(nullptr); }
};
template <typename... T>
struct Nothing<std::tuple<T...>> {
  static std::tuple<T...> value() { return {Nothing<T>::value()...}; }
};

}  // namespace kbench::kernels

#endif  // KBENCH_DISPATCH_H_
