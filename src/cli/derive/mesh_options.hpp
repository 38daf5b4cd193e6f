// --mesh, and what --axis and --tensor say of its axes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/derive/shard_plan.hpp"
#include "schema/containers.hpp"

namespace kbench {

struct MeshAxis {
  std::string name;
  std::int64_t ranks = 1;
  std::string combine;              // "" where it is not said
  std::vector<std::string> axes;    // of the Definition, that its ranks cut
  OrderedMap<std::string> tensors;  // that it cuts by another one, or not
};

// What makes no sense is reported: names that the mesh does not have, axes that cut nothing.
std::vector<MeshAxis> read_mesh(const ShardCommand& command, Diagnostics& out);

}  // namespace kbench
