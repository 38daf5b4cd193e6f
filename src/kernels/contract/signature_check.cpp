#include "kernels/contract/signature_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/contract/kernel_solutions.hpp"
#include "kernels/registry/checked_sidecar.hpp"
#include "kernels/registry/cpp_functions.hpp"
#include "kernels/registry/ignored_parameters.hpp"
#include "kernels/registry/lookup.hpp"
#include "kernels/registry/signature.hpp"

namespace kbench {
namespace {

constexpr const char* no_function = "is no function that can be called";

// Names of C++ do not count, unless they are the wanted ones in another order.
void note_order(const Solution& solution, const Signature& has, const Signature& wanted,
                std::vector<std::string>& differences) {
  std::vector<std::string> names, others;
  for (const SignatureParameter& one : has.parameters) names.push_back(one.name);
  for (const SignatureParameter& one : wanted.parameters) others.push_back(one.name);
  if (!is_python(solution) && names != others &&
      std::is_permutation(names.begin(), names.end(), others.begin(), others.end()))
    differences.push_back("parameters have these names in another order: " + text(has));
}

// Scalars that are not read, and for which no value is declared, are findings; for tensors no
// value can be declared.
void note_ignored(const Solution& solution, const Definition& definition,
                  const std::vector<std::string>& conditions, SignatureComparison& finding) {
  for (const IgnoredParameter& one : ignored_parameters(solution, definition)) {
    const auto declared =
        std::find_if(conditions.begin(), conditions.end(), [&](const std::string& condition) {
          const auto names = names_in_condition(condition);
          return std::find(names.begin(), names.end(), one.input) != names.end();
        });
    const bool is_tensor = definition.inputs.find(one.input)->shape.has_value();
    if (is_tensor || declared != conditions.end())
      finding.notes.push_back(fmt::format("{} is not read ({}){}", one.input, one.how,
                                          is_tensor ? "" : ": serves calls where " + *declared));
    else
      finding.differences.push_back(
          fmt::format("{0} is not read ({1}), and nothing says for which value it serves: ignores: "
                      "{{{0}: …}} in the sidecar",
                      one.input, one.how));
  }
}

// Keeps the parts that a call depends on: names count for Python's parameters alone, and a
// parameter with a default may be passed all the same.
Signature comparable(Signature signature, const Solution& solution) {
  for (SignatureParameter& one : signature.parameters) {
    if (!is_python(solution)) one.name.clear();
    one.default_value.clear();
  }
  return signature;
}

class SignatureChecker {
 public:
  SignatureChecker(const KernelSet& kernels, std::string op)
      : kernels_(kernels), op_(std::move(op)) {}

  SignatureCheck check() {
    for (const KernelLibrary& library : kernels_.libraries) check_library(library);
    if (kernels_.set) {
      for (const Stored<Definition>& one : kernels_.set->definitions) {
        check_definition(one.record);
        if (const auto op = linked_operator(one.record)) check_link(one, *op);
      }
    }
    return std::move(made_);
  }

 private:
  bool is_asked(const std::string& operation) const {
    return op_.empty() || same_operation(operation, op_);
  }

  void note(SignatureComparison one) { made_.comparisons.push_back(std::move(one)); }

  struct ReadSource {
    std::string path;
    CppSource code;
  };

  void check_library(const KernelLibrary& library) {
    std::vector<ReadSource> sources;
    for (const SourceFile& one : sources_of(library))
      sources.push_back({one.path, read_cpp_source(one.content)});
    for (const OperatorEntry& entry : library.operators) {
      const std::string name = ops::full_name(entry.schema.name);
      if (!is_asked(name)) continue;
      for (const Kernel& kernel : entry.kernels)
        ++made_.counts.kernels, note(check_kernel(kernel, entry.schema, sources));
    }
  }

  using Lines = std::vector<std::string>;

  // Compares a kernel: of several functions with its name, the one that differs least counts; a
  // function that a macro may make is taken to be right.
  static SignatureComparison check_kernel(const Kernel& kernel, const ops::Schema& schema,
                                          const std::vector<ReadSource>& sources) {
    const std::string name = ops::full_name(schema.name);
    const std::string function = kernel.symbol.substr(kernel.symbol.rfind("::") + 2);
    const Signature wanted = kernel_signature(schema);
    std::optional<Lines> least;
    std::string has;
    std::string unreachable;
    bool may_be_made = false;
    for (const auto& [path, code] : sources) {
      may_be_made |= code.may_make(function);
      for (const CppFunction& found : code.functions) {
        if (found.name != function) continue;
        const std::string why = why_unreachable(found, kernel, path);
        if (unreachable.empty()) unreachable = why;
        if (!why.empty()) continue;
        Lines all = kernel_differences(wanted, found.signature);
        if (least && all.size() >= least->size()) continue;
        least = std::move(all);
        has = text(found.signature);
      }
    }
    SignatureComparison finding{
        name,         kernel.symbol, "schema " + name, least.value_or(Lines{}),
        kernel.where, has,           text(wanted)};
    if (least || (unreachable.empty() && may_be_made)) return finding;
    finding.verdict = no_function;
    finding.differences.push_back(
        unreachable.empty() ? "no source of the library defines " + kernel.symbol : unreachable);
    return finding;
  }

  // Says why a function that is there is not the kernel; "" for one that may be.
  static std::string why_unreachable(const CppFunction& found, const Kernel& kernel,
                                     const std::string& path) {
    const std::string whole =
        found.scope.empty() ? found.name : fmt::format("{}::{}", found.scope, found.name);
    if (kernel.symbol != whole)
      return fmt::format("{} defines {}; kernel_name {} means {}, in the namespace native", path,
                         whole, kernel.name, kernel.symbol);
    if (found.is_template) return fmt::format("{} of {} is a template", found.name, path);
    if (found.is_local)
      return fmt::format("{} of {} is static, or in a namespace without a name", found.name, path);
    return "";
  }

  void check_definition(const Definition& definition) {
    if (!is_asked(definition.name)) return;
    std::vector<CheckedSolution> checked;
    for (const Stored<Solution>& stored : kernels_.set->solutions) {
      const Solution& solution = stored.record;
      if (solution.definition != definition.name || solution.spec.launch) continue;
      auto found = check_solution(stored, definition);
      if (found && is_python(solution)) checked.push_back(*std::move(found));
    }
    std::stable_sort(checked.begin(), checked.end(),
                     [](const auto& a, const auto& b) { return a.priority > b.priority; });
    for (std::size_t i = 1; i < checked.size(); ++i) compare(checked.front(), checked[i]);
  }

  // Solution in Python with what all of its Definition share: without its own parameters.
  struct CheckedSolution {
    const Stored<Solution>* stored = nullptr;
    Signature shared;
    int priority = 0;
  };

  void compare(const CheckedSolution& reference, const CheckedSolution& one) {
    const Solution& solution = one.stored->record;
    const Solution& other = reference.stored->record;
    if (solution.spec.destination_passing_style != other.spec.destination_passing_style) return;
    note({solution.definition, solution.name, "solution " + other.name,
          differences(reference.shared, one.shared), place_of(*one.stored), text(one.shared),
          text(reference.shared)});
  }

  // Compares the arguments of a Definition with those of the operator that its tag names.
  void check_link(const Stored<Definition>& stored, const std::string& name) {
    if (!is_asked(name) && !is_asked(stored.record.name)) return;
    const auto schema = find_schema(kernels_, name);
    // PyTorch's operators are unknown without it.
    if (!schema && name.starts_with("aten::") && ops::installed_catalogue() == nullptr) return;
    SignatureComparison finding{
        name, "definition " + stored.record.name,        "schema " + name,
        {},   place_of_link(stored, schema.has_value()), text(signature_of(stored.record, true))};
    if (schema) {
      finding.wanted = text(kernel_signature(*schema));
      bind_operator(stored.record, *schema, finding.differences);
    } else {
      const std::string hint = operator_hint(name, kernels_);
      finding.verdict = "calls no operator that is known";
      finding.differences.push_back(
          fmt::format("no schema of {} is known{}{}", name, hint.empty() ? "" : ": ", hint));
    }
    ++made_.counts.definitions;
    note(std::move(finding));
  }

  static Where place_of(const Stored<Solution>& stored) {
    return {stored.path, stored.line, 0, "", ""};
  }

  std::optional<CheckedSolution> check_solution(const Stored<Solution>& stored,
                                                const Definition& definition) {
    const Solution& solution = stored.record;
    std::string why;
    auto found = signature_of(solution, why);
    Diagnostics said;  // reported when the kernels were loaded
    const Sidecar sidecar = checked_sidecar(stored, definition, said);
    const std::vector<Parameter>& own = sidecar.tunables.parameters;
    const Signature wanted = signature_of(definition, solution.spec.destination_passing_style, own);
    SignatureComparison finding{
        definition.name, solution.name, "definition " + definition.name, {}, place_of(stored), "",
        text(wanted)};
    if (found) {
      finding.has = text(*found);
      finding.differences = differences(wanted, comparable(*found, solution));
      note_order(solution, *found, wanted, finding.differences);
      note_ignored(stored.record, definition, sidecar.all.conditions, finding);
    } else {
      finding.differences.push_back(why);
      finding.verdict = no_function;
    }
    ++made_.counts.solutions;
    note(std::move(finding));
    if (!found) return std::nullopt;
    std::erase_if(found->parameters, [&](const SignatureParameter& parameter) {
      return std::any_of(own.begin(), own.end(),
                         [&](const Parameter& one) { return one.name == parameter.name; });
    });
    return CheckedSolution{&stored, *std::move(found), sidecar.all.priority.value_or(0)};
  }

  const KernelSet& kernels_;
  std::string op_;
  SignatureCheck made_;
};

}  // namespace

std::vector<const SignatureComparison*> SignatureCheck::findings() const {
  std::vector<const SignatureComparison*> out;
  for (const SignatureComparison& one : comparisons)
    if (!one.differences.empty()) out.push_back(&one);
  return out;
}

SignatureCheck check_signatures(const KernelSet& kernels, std::string op) {
  return SignatureChecker(kernels, std::move(op)).check();
}

}  // namespace kbench
