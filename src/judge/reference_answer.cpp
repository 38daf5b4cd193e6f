// Answers of a reference to random inputs: how they are asked for, and what is wrong with one.

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "judge/output_standards.hpp"
#include "judge/prepare.hpp"
#include "problem/data/generate.hpp"
#include "problem/data/reference_facts.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

std::string source_line(const std::string& text, int line) {
  const auto lines = split(text, '\n');
  return line >= 1 && static_cast<std::size_t>(line) <= lines.size()
             ? std::string(lines[static_cast<std::size_t>(line) - 1])
             : "";
}

std::string_view outcome_text(ReferenceAnswer::Outcome outcome) {
  using Outcome = ReferenceAnswer::Outcome;
  switch (outcome) {
    case Outcome::ok:
      return "is good";
    case Outcome::unsupported:
      return "cannot be evaluated";
    case Outcome::failed:
      return "failed";
    case Outcome::timeout:
      return "took too long";
    case Outcome::out_of_memory:
      return "ran out of memory";
    case Outcome::died:
      return "ended its process";
  }
  return "failed";
}

}  // namespace

Where line_of_reference(const Definition& definition, int line) {
  const std::string text = source_line(definition.reference, line);
  const auto column = text.find_first_not_of(" \t");
  return {fmt::format("reference of {}", definition.name), line,
          column == std::string::npos ? 1 : static_cast<int>(column) + 1, "/reference", text};
}

namespace {

// Returns what a workload may say of the first drawn input that indexes something.
std::string hint_of_indices(const Problem& problem, const ReferenceAnswer& answer) {
  const std::vector<SeenUse>& uses = answer.watched.uses;
  for (std::size_t i = 0; i < std::min(uses.size(), problem.inputs.size()); ++i) {
    const InputPlan& input = problem.inputs[i];
    if (!uses[i].index_of || !std::holds_alternative<RandomInput>(input.source)) continue;
    return fmt::format(
        R"("{}" indexes {} elements: {{"type": "random", "kind": "ids", "high": {}}} draws such)",
        input.tensor.name, *uses[i].index_of, *uses[i].index_of - 1);
  }
  return "";
}

void report_reference(const Definition& definition, const Problem& problem,
                      const ReferenceAnswer& answer, Diagnostics& out) {
  const bool unsupported = answer.outcome == ReferenceAnswer::Outcome::unsupported;
  // An unsupported reference is so for every workload, so none is named.
  const std::string which = unsupported ? "" : fmt::format(" (workload {})", problem.workload);
  out.error(
      line_of_reference(definition, answer.line),
      fmt::format("the reference {}{}: {}", outcome_text(answer.outcome), which, answer.message),
      unsupported ? "see docs/references.md for what is supported"
                  : hint_of_indices(problem, answer));
}

// An answer that does not follow from the inputs makes every solution wrong.
bool is_steady(const Definition& definition, const ReferenceAnswer& answer, Diagnostics& out) {
  const std::string& name = answer.watched.unsteady;
  if (name.empty()) return true;
  const auto lines = split(definition.reference, '\n');
  const auto line = std::find_if(lines.begin(), lines.end(), [&](std::string_view text) {
    return text.find(name) != text.npos;
  });
  const auto number = line == lines.end() ? 0 : static_cast<int>(line - lines.begin()) + 1;
  out.error(line_of_reference(definition, number),
            fmt::format("the reference gives another answer to the same inputs, by {}", name),
            name.find("empty") != name.npos
                ? "the answer has memory that nothing was written to; torch.zeros has numbers"
                : "random numbers of a solution would be others; make them an input");
  return false;
}

// The reference must return what the Definition declares, or no solution can be judged.
bool fits(const Definition& definition, const Problem& problem, const ReferenceAnswer& answer,
          Diagnostics& out) {
  bool good = answer.outputs.size() == problem.outputs.size();
  for (std::size_t i = 0; good && i < answer.outputs.size(); ++i) {
    const TensorPlan& declared = problem.outputs[i];
    const TensorView& got = answer.outputs[i];
    if (got.shape == declared.shape && got.dtype == declared.dtype) continue;
    out.error(
        {fmt::format("reference of {}", definition.name), 0, 0, "/outputs/" + declared.name, ""},
        fmt::format("output \"{}\" is declared {} {}, the reference returned {} {} (workload {})",
                    declared.name, info(declared.dtype).name, shape_text(declared.shape),
                    info(got.dtype).name, shape_text(got.shape), problem.workload));
    good = false;
  }
  return good;
}

}  // namespace

bool is_usable(const BoundWorkload& bound, const Problem& problem, const ReferenceAnswer& answer,
               Diagnostics& out) {
  const Definition& definition = *bound.definition;
  if (answer.outcome == ReferenceAnswer::Outcome::ok)
    return fits(definition, problem, answer, out) && is_steady(definition, answer, out);
  report_reference(definition, problem, answer, out);
  return false;
}

double decay_steps(const Definition& definition, const Problem& problem) {
  if (!reference_facts(definition).recurs) return 0;
  std::int64_t longest = 1;
  for (const auto& [name, length] : problem.axes) longest = std::max(longest, length);
  return static_cast<double>(std::min<std::int64_t>(longest, 256));
}

ExactEffort exact_effort(const BoundWorkload& bound, const Problem& problem) {
  ExactEffort effort{.wanted = bound.options.needs_exact()};
  if (bound.options.audit) effort.budget_seconds = 0.03;
  effort.moves = moves_for(*bound.definition, problem);
  effort.decay_steps = bound.decay_steps;
  return effort;
}

GenerateOptions drawing_of(const Stored<Trace>& workload, const PrepareOptions& options,
                           const Problem& problem, std::uint32_t trial) {
  const bool is_large = tensor_bytes(problem) - output_bytes(problem) > large_inputs;
  return {options.seed,
          trial,
          options.root,
          options.threads,
          Place(workload.path, workload.line),
          is_large ? Skew::ends : Skew::none};
}

Inputs draw(const BoundWorkload& bound, const Problem& problem, std::uint32_t trial,
            Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.errors();
  Inputs inputs =
      generate_inputs(problem, bound.values,
                      drawing_of(*bound.workload, bound.options, problem, trial), diagnostics);
  if (diagnostics.errors() == before)
    adapt(problem, bound.values, bound.seen, {.seed = bound.options.seed, .trial = trial}, inputs);
  return inputs;
}

void answer_first(BoundWorkload& bound, const Problem& problem, ReferenceEvaluator& evaluator,
                  Trial& trial, Diagnostics& diagnostics) {
  const auto evaluate = [&](bool is_draft) {
    trial.reference =
        evaluator.evaluate(*bound.definition, problem, trial.inputs,
                           {.watch = true, .is_draft = is_draft}, exact_effort(bound, problem));
    return trial.reference.outcome != ReferenceAnswer::Outcome::failed;
  };
  constexpr int most_rounds = 4;
  bool is_good = evaluate(true);
  for (int round = 0; round < most_rounds; ++round) {
    if (!learn(trial.reference.watched.uses, problem, bound.values, bound.seen)) break;
    trial.inputs = draw(bound, problem, 0, diagnostics);
    is_good = evaluate(true);
  }
  if (is_good) return;
  for (SeenUse& use : bound.seen) use.compared.clear();
  trial.inputs = draw(bound, problem, 0, diagnostics);
  evaluate(false);
}

}  // namespace kbench
