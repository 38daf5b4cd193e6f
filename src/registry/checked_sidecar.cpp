#include "registry/checked_sidecar.hpp"

#include "registry/batch.hpp"
#include "registry/ignored_parameters.hpp"
#include "registry/prepare.hpp"

namespace kbench {

Sidecar checked_sidecar(const Stored<Solution>& solution, const Definition& definition,
                        Diagnostics& diagnostics) {
  Sidecar sidecar = sidecar_of(solution, diagnostics);
  check_tunables(sidecar.tunables, solution.record, definition, diagnostics);
  check_batch(sidecar, solution.record, definition, diagnostics);
  add_ignored(solution.record, definition, sidecar);
  return sidecar;
}

bool is_called_otherwise(const Solution& solution, const Sidecar& sidecar) {
  return !sidecar.batch_axes.empty() || !called_function(solution, sidecar.methods).empty();
}

Solution called_solution(const Solution& solution, const Sidecar& sidecar,
                         const Definition& definition) {
  return with_batch(with_function(solution, called_function(solution, sidecar.methods)), sidecar,
                    definition);
}

std::pair<Solution, std::string> solution_as_run(const Stored<Solution>& stored,
                                                 const Definition* definition,
                                                 const Configuration* values) {
  Diagnostics ignored;
  Sidecar sidecar = sidecar_of(stored, ignored);
  if (definition == nullptr) sidecar.batch_axes.clear();
  Solution run =
      called_solution(stored.record, sidecar, definition == nullptr ? Definition{} : *definition);
  if (values != nullptr) run = with_configuration(std::move(run), sidecar.tunables, *values);
  const auto found = prepare_function(stored.record, sidecar.methods);
  const auto* const prepare = std::get_if<std::optional<FoundMethod>>(&found);
  return {std::move(run), prepare != nullptr && *prepare ? (*prepare)->function : ""};
}

}  // namespace kbench
