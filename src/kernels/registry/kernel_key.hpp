// Element types of operator libraries, and the key by which a kernel is registered: the tensors
// that it serves. Types are PyTorch's ScalarType, with its numbers and names. The key's text is
// ExecuTorch's, "v1/6;0,1|6;0,1": of each tensor the number of its element type and its dim order.
// Sources: c10/core/ScalarType.h; ExecuTorch, runtime/kernel/operator_registry.h.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/dtype.hpp"

namespace kbench {

struct ScalarTypeInfo {
  int code;
  std::string_view name;  // "Float"
  bool in_dlpack = true;  // DLPack has no quantised numbers, and no bits

  std::optional<DType> dtype() const;  // nullopt where no Definition has it
};

std::span<const ScalarTypeInfo> scalar_types();
// Finds a type by its name, or that of the dtype: "Float", "float32".
const ScalarTypeInfo* find_scalar_type(std::string_view name);
const ScalarTypeInfo* find_scalar_type(int code);
// Returns nullptr for float4 and float8_e8m0fnu, which ExecuTorch does not have.
const ScalarTypeInfo* find_scalar_type(DType dtype);
std::vector<std::string> scalar_type_names();

// Tensor argument that is asked for, or given.
struct TensorMeta {
  std::optional<int> scalar_type;             // nullopt: any
  std::optional<std::vector<int>> dim_order;  // dimensions from the outermost in memory to the
                                              // innermost; nullopt: any
  bool is_none = false;                       // an optional tensor that is not given

  bool operator==(const TensorMeta&) const = default;
};

// Tensor arguments of a schema in its order, each once; a list of tensors counts as one.
using KernelKey = std::vector<TensorMeta>;

// Returns "v1/6;0,1|6;0,1"; "*" stands for any dtype or order, "-" for a tensor that is not given.
// Keys without tensors give "".
std::string key_text(const KernelKey& key);
// Reads such a text, and "?" for an optional tensor that may be given or not; nullopt where it is
// no key: `why` says what is wrong with it.
std::optional<KernelKey> parse_key(std::string_view text, std::string& why);

// Returns "Float[0,1]", for people.
std::string human_text(const TensorMeta& meta);
std::string human_text(const KernelKey& key);

// Tells whether a tensor `has` the parts that are `wanted`.
bool matches(const TensorMeta& wanted, const TensorMeta& has);
// Tells whether all tensors match, also in a key of a model, which names the outputs twice.
bool matches(const KernelKey& wanted, const KernelKey& has, std::size_t outputs);

// Tells whether some tensors match both keys.
bool may_match(const KernelKey& one, const KernelKey& has, std::size_t outputs);

// Says why these are no permutation of 0…n-1; "" where they are one.
std::string dim_order_problem(const std::vector<int>& dim_order);

}  // namespace kbench
