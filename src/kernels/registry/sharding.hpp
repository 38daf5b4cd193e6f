// What a sidecar says of how a Solution is cut into ranks: its key `shard`. docs/sharding.md
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/json.hpp"
#include "schema/containers.hpp"
#include "schema/definition.hpp"
#include "schema/place.hpp"

namespace kbench {

// In the place of an axis: every rank has all of the tensor.
constexpr std::string_view replicated = "replicated";

// How the outputs of ranks become one; what each does: judge/derive/combine.cpp.
std::vector<std::string> combine_names();

// One way: [{axis: M, combine: concat}, {axis: K, combine: sum, ranks: 2, tensors: {C: M}}].
struct DeclaredSharding {
  std::vector<std::string> axes;      // one, or a list of those that are cut together
  std::string combine;                // "" where it is not said
  std::optional<std::int64_t> ranks;  // that it is made for, where it is for no others
  OrderedMap<std::string> tensors;    // tensor → the axis it is cut by, or replicated
  Where where;                        // of the axis
  Where combine_where;
};

// What is wrong is reported, and left out.
std::vector<DeclaredSharding> read_shardings(const json::Value& value, const YamlPlace& place,
                                             const std::string& pointer);

// Reports at `said` axes and tensors that the Definition does not have, and axes that are named
// twice: `axes` are cut, `tensors` by axes of their own.
void check_cut(const Definition& definition, const std::vector<std::string>& axes,
               const OrderedMap<std::string>& tensors, const Where& said, Diagnostics& out);
// Checks all that a sidecar declares in this way.
void check_shardings(const std::vector<DeclaredSharding>& shardings, const Definition& definition,
                     Diagnostics& out);

}  // namespace kbench
