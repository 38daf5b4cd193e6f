// Cuts of a Solution into ranks that a sidecar declares: its key `shard`. docs/sharding.md
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

// Word in the place of an axis: every rank has all of the tensor.
constexpr std::string_view replicated = "replicated";

// Returns the ways to make one of the outputs of ranks; judge/derive/combine.cpp has their code.
std::vector<std::string> combine_names();

// Cut: [{axis: M, combine: concat}, {axis: K, combine: sum, ranks: 2, tensors: {C: M}}].
struct DeclaredSharding {
  std::vector<std::string> axes;      // one axis, or several that are cut together
  std::string combine;                // "" where it is not given
  std::optional<std::int64_t> ranks;  // number that it is made for, where it is for no others
  OrderedMap<std::string> tensors;    // tensor → the axis it is cut by, or replicated
  Where where;                        // place of the axis
  Where combine_where;
};

// Reads the cuts; mistakes are reported, and cuts without an axis left out.
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
