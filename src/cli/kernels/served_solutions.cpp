#include "cli/kernels/served_solutions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <system_error>

#include "base/file.hpp"
#include "kernels/registry/checked_sidecar.hpp"
#include "kernels/registry/lookup.hpp"
#include "kernels/registry/methods.hpp"
#include "tune/key.hpp"
#include "tune/overlay.hpp"

namespace kbench {
namespace {

// Says why a program cannot call it so; "" where it can.
std::string why_left_out(const Solution& solution, const Sidecar& sidecar,
                         const Implementation& implementation) {
  const BuildSpec& spec = solution.spec;
  const bool is_called = spec.language == Language::cpp && spec.destination_passing_style &&
                         spec.binding.value_or(Binding::tvm_ffi) == Binding::tvm_ffi;
  if (!is_called) return "it is not in C++ with the binding tvm-ffi and outputs that are passed";
  if (!implementation.backend.is_any() && implementation.backend.device != "cpu")
    return "it runs on " + text(implementation.backend);
  if (!sidecar.batch_axes.empty()) return "it has batch_axes";
  const auto prepare = prepare_function(solution, sidecar.methods);
  const auto* const found = std::get_if<std::optional<FoundMethod>>(&prepare);
  if (found == nullptr || *found) return "it has a function that is called once before";
  const bool exports =
      std::any_of(solution.sources.begin(), solution.sources.end(), [](const SourceFile& source) {
        return source.content.find("KBENCH_EXPORT(") != std::string::npos;
      });
  return exports ? "" : "its sources export nothing by KBENCH_EXPORT of kbench_ffi.h";
}

std::optional<Overlay> overlay_in(const char* option, const std::string& file,
                                  Diagnostics& out) try {
  if (file.empty()) return std::nullopt;
  return read_overlay({file, read_file(file)}, out);
} catch (const std::system_error& error) {
  out.error({file}, fmt::format("{}: cannot be read: {}", option, error.code().message()));
  return std::nullopt;
}

bool is_of_calls(const OverlayRow& row) {
  return row.direction.value_or("fwd") == "fwd" && row.context.value_or("").empty() &&
         row.objective.value_or("time") == "time";
}

// Finds the rows of a Solution; results tuned with another source are none of its.
std::vector<StatedConfiguration> stated_in(const std::optional<Overlay>& overlay,
                                           const Solution& solution, const std::string& digest) {
  std::vector<StatedConfiguration> out;
  if (!overlay) return out;
  for (std::size_t i = 0; i < overlay->rows.size(); ++i) {
    const OverlayRow& row = overlay->rows[i];
    const std::string& tuned_with = overlay->places[i].solution_digest;
    const bool is_its = row.definition == solution.definition && row.solution == solution.name &&
                        (tuned_with.empty() || tuned_with == digest);
    if (!is_its || !is_of_calls(row)) continue;
    StatedConfiguration stated{row.where.value_or(std::vector<std::string>{}), row.configuration};
    for (const auto& [axis, length] : row.axes.value_or(OrderedMap<std::int64_t>{}))
      stated.conditions.push_back(fmt::format("{} == {}", axis, length));
    out.push_back(std::move(stated));
  }
  return out;
}

class SolutionGatherer {
 public:
  SolutionGatherer(const KernelSet& kernels, const ServedOptions& options, Diagnostics& out)
      : kernels_(kernels),
        out_(out),
        overlay_(overlay_in("--overlay", options.overlay, out)),
        tuned_(overlay_in("--tuned", options.tuned, out)) {}

  std::vector<ServedSolution> gather(const std::vector<std::string>& definitions) {
    for (const Definition* definition : wanted(definitions)) add(*definition);
    for (const auto* overlay : {&overlay_, &tuned_}) {
      if (*overlay) check_overlay(**overlay, targets_, out_);
    }
    return std::move(served_);
  }

 private:
  std::vector<const Definition*> wanted(const std::vector<std::string>& names) {
    std::vector<const Definition*> all;
    for (const std::string& name : names) {
      const Definition* const found = kernels_.definition(name);
      if (found == nullptr)
        out_.error({"--definition"}, fmt::format("there is no definition {}", name),
                   definition_hint(name, *kernels_.set));
      else if (std::find(all.begin(), all.end(), found) == all.end())
        all.push_back(found);
    }
    for (const Stored<Definition>& one : kernels_.set->definitions) {
      if (names.empty()) all.push_back(&one.record);
    }
    return all;
  }

  const Stored<Solution>* stored(const Implementation& implementation) const {
    for (const Stored<Solution>& one : kernels_.set->solutions) {
      if (implementation.competes && one.path == implementation.where.file &&
          one.record.name == implementation.symbol)
        return &one;
    }
    return nullptr;
  }

  void add(const Definition& definition) {
    auto all = kernels_.registry.implementations(definition.name);
    std::stable_sort(all.begin(), all.end(), [](const Implementation* a, const Implementation* b) {
      return goes_before(*a, *b);
    });
    for (const Implementation* one : all) {
      if (const Stored<Solution>* const solution = stored(*one)) add(definition, *one, *solution);
    }
  }

  void add(const Definition& definition, const Implementation& implementation,
           const Stored<Solution>& solution) {
    Diagnostics said;  // reported when the kernels were loaded
    Sidecar sidecar = checked_sidecar(solution, definition, said);
    const std::string why = why_left_out(solution.record, sidecar, implementation);
    if (!why.empty()) {
      out_.warning({solution.path, solution.line, 0, "", ""},
                   fmt::format("{} is left out: {}", solution.record.name, why));
      return;
    }
    const std::string digest = tuning_digest(solution.record, sidecar.tunables, sidecar.methods);
    const CpuFeature* const feature = find_cpu_feature(implementation.backend.refinement);
    served_.push_back(
        {&definition, called_solution(solution.record, sidecar, definition), sidecar.tunables,
         sidecar.all.conditions, feature == nullptr ? "" : std::string(feature->gcc),
         stated_in(overlay_, solution.record, digest), stated_in(tuned_, solution.record, digest)});
    tunables_.push_back(std::make_unique<Tunables>(std::move(sidecar.tunables)));
    targets_.push_back(
        {definition.name, solution.record.name, tunables_.back().get(), &definition, digest});
  }

  const KernelSet& kernels_;
  Diagnostics& out_;
  std::optional<Overlay> overlay_, tuned_;
  std::vector<ServedSolution> served_;
  std::vector<std::unique_ptr<Tunables>> tunables_;  // owner of what the targets point to
  std::vector<OverlayTarget> targets_;
};

}  // namespace

std::vector<ServedSolution> served_solutions(const KernelSet& kernels, const ServedOptions& options,
                                             Diagnostics& out) {
  if (kernels.set) return SolutionGatherer(kernels, options, out).gather(options.definitions);
  out.error({}, "there is no trace set that has solutions", "name one, or run in one");
  return {};
}

}  // namespace kbench
