#include "kernels/registry/checked_sidecar.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "kernels/registry/batch.hpp"
#include "kernels/registry/ignored_parameters.hpp"
#include "kernels/registry/methods.hpp"
#include "kernels/registry/signature.hpp"

namespace kbench {
void check_entry(const Sidecar& sidecar, const Solution& solution, Diagnostics& out) {
  const std::vector<std::string> known = exported_functions(solution);
  for (const NamedPlace& one : sidecar.entry_functions) {
    if (std::find(known.begin(), known.end(), one.name) != known.end()) continue;
    const std::string message = fmt::format("{} has no function {}", solution.name, one.name);
    std::string hint = did_you_mean(one.name, known);
    if (hint.empty() && !known.empty()) hint = "it has " + join(known, ", ");
    if (is_python(solution)) {
      out.error(one.where, message, hint);
    } else if (!is_mentioned(one.name, solution)) {  // macros may make names of parts
      out.warning(one.where, message, hint);
    }
  }
}

Sidecar checked_sidecar(const Stored<Solution>& solution, const Definition& definition,
                        Diagnostics& diagnostics) {
  Sidecar sidecar = sidecar_of(solution, diagnostics);
  check_entry(sidecar, solution.record, diagnostics);
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

std::string conditions_digest(const Sidecar& sidecar) {
  std::string text;
  for (const std::string& condition : sidecar.all.conditions) text += condition + "\n";
  for (const auto* conditions : {&sidecar.tunables.supports, &sidecar.tunables.where})
    for (const Condition& condition : *conditions) text += condition.text + "\n";
  return text.empty() ? "" : sha256_hex(text).substr(0, 16);
}

std::tuple<Solution, std::string, bool, std::string> solution_as_run(const Stored<Solution>& stored,
                                                                     const Definition* definition,
                                                                     const Configuration* values) {
  Diagnostics ignored;
  Sidecar sidecar = sidecar_of(stored, ignored);
  if (definition == nullptr) sidecar.batch_axes.clear();
  if (definition != nullptr) add_ignored(stored.record, *definition, sidecar);
  Solution run =
      called_solution(stored.record, sidecar, definition == nullptr ? Definition{} : *definition);
  if (values != nullptr) run = with_configuration(std::move(run), sidecar.tunables, *values);
  const auto found = prepare_function(stored.record, sidecar.methods);
  const auto* const prepare = std::get_if<std::optional<FoundMethod>>(&found);
  const bool is_one = values == nullptr || unfit_values(*values, sidecar.tunables).empty();
  return {std::move(run), prepare != nullptr && *prepare ? (*prepare)->function : "",
          !sidecar.tunables.empty(),
          is_one ? conditions_digest(sidecar) : "no configuration of it"};
}

}  // namespace kbench
