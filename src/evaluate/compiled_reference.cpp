#include "evaluate/compiled_reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/libtorch.hpp"
#include "build/builder.hpp"
#include "evaluate/timed_reference.hpp"
#include "schema/place.hpp"

namespace kbench {
namespace {

// Where there is a GPU: the definitions of solutions for one. Their references are compiled for it.
std::set<std::string> definitions_on_gpu(const TraceSet& set) {
  std::set<std::string> names;
  for (const auto& stored : set.solutions)
    if (has_nvidia_gpu() && wants_gpu(stored.record)) names.insert(stored.record.definition);
  return names;
}

}  // namespace

Solution compiled_reference(const Definition& definition) {
  Solution solution = reference_solution(definition);
  solution.name = solution.author = compiled_reference_name;
  const auto torch = find_libtorch();
  solution.spec.target_hardware = {"cpu"};
  solution.spec.dependencies = {torch ? "torch==" + torch->version : "torch"};
  solution.description = "The reference, compiled by torch.compile";
  solution.is_compiled_reference = true;
  return solution;
}

void add_compiled_references(TraceSet& set, Diagnostics& diagnostics) {
  if (const Solution* const taken = set.solution(compiled_reference_name)) {
    diagnostics.error(Place(set.stored(*taken)->path).value("/name"),
                      fmt::format("the name \"{}\" is that of references which torch.compile "
                                  "compiles",
                                  compiled_reference_name),
                      "give this solution another one");
    return;
  }
  const std::set<std::string> on_gpu = definitions_on_gpu(set);
  for (const auto& stored : set.definitions) {
    Solution solution = compiled_reference(stored.record);
    if (on_gpu.contains(solution.definition)) solution.spec.target_hardware = {"cuda"};
    set.solutions.push_back({std::move(solution), stored.path, stored.line});
  }
}

}  // namespace kbench
