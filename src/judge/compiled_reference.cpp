#include "judge/compiled_reference.hpp"

#include <set>
#include <string>

#include "base/python.hpp"
#include "build/builder.hpp"
#include "judge/timed_reference.hpp"

namespace kbench {
namespace {

// Where there is a GPU: the definitions of solutions for one. Their references are compiled for it.
std::set<std::string> definitions_on_gpu(const TraceSet& set) {
  std::set<std::string> names;
  if (!has_nvidia_gpu()) return names;
  for (const auto& stored : set.solutions)
    if (wants_gpu(stored.record)) names.insert(stored.record.definition);
  return names;
}

}  // namespace

Solution solution_of_reference(std::string_view name, const Definition& definition) {
  Solution solution = reference_solution(definition);
  solution.name = solution.author = name;
  const auto torch = find_libtorch();
  solution.spec.target_hardware = {"cpu"};
  solution.spec.dependencies = {torch ? "torch==" + torch->version : "torch"};
  solution.is_compiled_reference = name == compiled_reference_name;
  solution.description = "The reference";
  if (solution.is_compiled_reference) *solution.description += ", compiled by torch.compile";
  return solution;
}

void add_references(std::string_view name, TraceSet& set) {
  const std::set<std::string> on_gpu = definitions_on_gpu(set);
  for (const auto& stored : set.definitions) {
    Solution solution = solution_of_reference(name, stored.record);
    if (on_gpu.contains(solution.definition)) solution.spec.target_hardware = {"cuda"};
    set.solutions.push_back({std::move(solution), stored.path, stored.line});
  }
}

}  // namespace kbench
