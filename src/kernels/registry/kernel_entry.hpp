// Kernels of one entry of a kernel yaml.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/registry/read_kernel_yaml.hpp"
#include "schema/place.hpp"

namespace kbench {

// Reads `kernels`, or `dispatch` (the older form: a function for each backend), or, where there is
// neither, the function that PyTorch itself has for the operator. Mistakes are reported, a key that
// two kernels have among them. `schema` is nullptr where it is wrong: only parts that need none are
// checked then.
std::vector<Kernel> read_kernels(const json::Value& entry, const std::string& pointer,
                                 const ops::Schema* schema, const YamlPlace& place);

// Aliases of an entry of a kernel yaml: type_alias and dim_order_alias.
using DimOrder = std::vector<int>;

template <class Value>
struct NamedValues {
  std::string name;
  std::vector<Value> values;
};

struct KernelAliases {
  std::vector<NamedValues<int>> types;  // numbers of ScalarType
  std::vector<NamedValues<DimOrder>>
      dim_orders;  // one each in ExecuTorch's code, several in its docs

  const NamedValues<int>* type(std::string_view name) const;
  const NamedValues<DimOrder>* dim_order(std::string_view name) const;
};

// Aliases of the entry at `pointer`. Mistakes are reported; an alias with one is left out, its name
// too, so that its uses are reported no second time: `broken` has these names.
struct ReadAliases {
  KernelAliases aliases;
  std::vector<std::string> broken;
};
ReadAliases read_aliases(const json::Value& entry, const std::string& pointer,
                         const YamlPlace& place);

// Reads a dim order: a list of numbers, or of words that are numbers; nullopt for anything else,
// which is reported.
std::optional<DimOrder> read_dim_order(const json::Value& list, const std::string& pointer,
                                       const YamlPlace& place);

}  // namespace kbench
