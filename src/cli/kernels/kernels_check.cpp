// kbench kernels check: every solution against its Definition and its siblings, every kernel
// against its schema.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/kernels/kernels.hpp"
#include "cli/kernels/library_options.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/report_printer.hpp"
#include "cli/shell/terminal.hpp"
#include "contract/kernel_set.hpp"
#include "contract/kernel_solutions.hpp"
#include "registry/cpp_functions.hpp"
#include "registry/lookup.hpp"
#include "registry/signature.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct KernelsCheckOptions {
  KernelOptions kernels;
  std::string op;
  std::string format = "text";
};

constexpr const char* no_function = "is no function that can be called";

// What was held against what, and how it differs.
struct Finding {
  std::string operation;
  std::string implementation;
  std::string reference;
  std::vector<std::string> differences;
  Where where;
  std::string verdict = "";  // where there is nothing to hold against it; else it differs
};

// How many of each were looked at.
struct CheckCounts {
  std::size_t kernels = 0;
  std::size_t solutions = 0;
  std::size_t definitions = 0;  // under each operator that they are linked to

  bool is_any() const { return kernels + solutions + definitions > 0; }
};

std::string text(const CheckCounts& checked) {
  std::vector<std::string> parts;
  for (const auto& [count, noun] : {std::pair{checked.kernels, "kernel"},
                                    {checked.solutions, "solution"},
                                    {checked.definitions, "definition"}}) {
    if (count > 0) parts.push_back(counted(count, noun));
  }
  return parts.empty() ? "nothing" : join(parts, ", ");
}

class Checker {
 public:
  Checker(const KernelSet& kernels, std::string op) : kernels_(kernels), op_(std::move(op)) {}

  std::vector<Finding> check() {
    for (const KernelLibrary& library : kernels_.libraries) check_library(library);
    if (kernels_.set) {
      for (const Stored<Definition>& one : kernels_.set->definitions) {
        check_definition(one.record);
        if (const auto op = linked_operator(one.record)) check_link(one, *op);
      }
    }
    return std::move(findings_);
  }

  const CheckCounts& checked() const { return checked_; }

 private:
  bool is_asked(const std::string& operation) const {
    return op_.empty() || same_operation(operation, op_);
  }

  void note(Finding finding) {
    if (!finding.differences.empty()) findings_.push_back(std::move(finding));
  }

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
        ++checked_.kernels, note(check_kernel(kernel, entry.schema, sources));
    }
  }

  using Lines = std::vector<std::string>;

  // Where several functions have the kernel's name, the one that differs least counts; a function
  // that a macro may make is taken to be right.
  static Finding check_kernel(const Kernel& kernel, const ops::Schema& schema,
                              const std::vector<ReadSource>& sources) {
    const std::string name = ops::full_name(schema.name);
    const std::string function = kernel.symbol.substr(kernel.symbol.rfind("::") + 2);
    const Signature wanted = kernel_signature(schema);
    std::optional<Lines> least;
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
        if (!least || all.size() < least->size()) least = std::move(all);
      }
    }
    Finding finding{name, kernel.symbol, "schema " + name, least.value_or(Lines{}), kernel.where};
    if (least || (unreachable.empty() && may_be_made)) return finding;
    finding.verdict = no_function;
    finding.differences.push_back(
        unreachable.empty() ? "no source of the library defines " + kernel.symbol : unreachable);
    return finding;
  }

  // Why a function that is there is not the kernel; "" for one that may be.
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
    const Solution* first = nullptr;
    std::optional<Signature> sibling;
    for (const Stored<Solution>& stored : kernels_.set->solutions) {
      const Solution& solution = stored.record;
      if (solution.definition != definition.name || solution.spec.launch) continue;
      const auto found = check_solution(stored, definition);
      if (!found || !is_python(solution)) continue;
      const bool same_style = first != nullptr && first->spec.destination_passing_style ==
                                                      solution.spec.destination_passing_style;
      if (same_style)
        note({definition.name, solution.name, "solution " + first->name,
              differences(*sibling, *found), place_of(stored)});
      if (first == nullptr) {
        first = &solution;
        sibling = found;
      }
    }
  }

  // Whether a Definition passes what the operator wants that its tag names.
  void check_link(const Stored<Definition>& stored, const std::string& name) {
    if (!is_asked(name) && !is_asked(stored.record.name)) return;
    const auto schema = find_schema(kernels_, name);
    // Without PyTorch nothing is known of its operators.
    if (!schema && name.starts_with("aten::") && ops::installed_catalogue() == nullptr) return;
    Finding finding{name, "definition " + stored.record.name, "schema " + name, {}, {}};
    finding.where = place_of_link(stored, schema.has_value());
    if (schema) {
      bind_operator(stored.record, *schema, finding.differences);
    } else {
      const std::string hint = operator_hint(name, kernels_);
      finding.verdict = "calls no operator that is known";
      finding.differences.push_back(
          fmt::format("no schema of {} is known{}{}", name, hint.empty() ? "" : ": ", hint));
    }
    ++checked_.definitions;
    note(std::move(finding));
  }

  static Where place_of(const Stored<Solution>& stored) {
    return {stored.path, stored.line, 0, "", ""};
  }

  std::optional<Signature> check_solution(const Stored<Solution>& stored,
                                          const Definition& definition) {
    const Solution& solution = stored.record;
    std::string why;
    const auto found = signature_of(solution, why);
    Finding finding{
        definition.name, solution.name, "definition " + definition.name, {}, place_of(stored)};
    if (found) {
      finding.differences =
          differences(signature_of(definition, solution.spec.destination_passing_style),
                      comparable(*found, solution));
    } else {
      finding.differences.push_back(why);
      finding.verdict = no_function;
    }
    ++checked_.solutions;
    note(std::move(finding));
    return found;
  }

  // What the call depends on: names are those of Python's parameters alone, and what has a default
  // may be passed all the same.
  static Signature comparable(Signature signature, const Solution& solution) {
    for (SignatureParameter& one : signature.parameters) {
      if (!is_python(solution)) one.name.clear();
      one.default_value.clear();
    }
    return signature;
  }

  const KernelSet& kernels_;
  std::string op_;
  std::vector<Finding> findings_;
  CheckCounts checked_;
};

void print_findings(const std::vector<Finding>& findings, const std::string& format) {
  if (format == "json") {
    Json list = Json::array();
    for (const Finding& one : findings)
      list.push_back({{"op", one.operation},
                      {"implementation", one.implementation},
                      {"reference", one.reference},
                      {"differences", one.differences},
                      {"file", one.where.file},
                      {"line", one.where.line}});
    return print(list.dump(2) + "\n");
  }
  for (const Finding& one : findings) {
    const std::string what = one.verdict.empty() ? "differs from " + one.reference : one.verdict;
    print(fmt::format("{}:{}: {} {}\n", one.where.file, one.where.line, one.implementation, what));
    for (const std::string& difference : one.differences) print("  " + difference + "\n");
  }
}

int check(const KernelsCheckOptions& options) {
  Diagnostics problems;
  const KernelSet kernels = load_kernels(options.kernels, problems);
  Checker checker(kernels, operation_named(kernels, options.op));
  const std::vector<Finding> findings = checker.check();
  const bool is_nothing = !checker.checked().is_any();
  if (is_nothing && !options.op.empty())
    problems.error({options.op, 0, 0, "", ""}, "nothing is registered for it",
                   operator_hint(options.op, kernels.registry.operations()));
  print_findings(findings, options.format);
  tell(fmt::format("{} looked at: {}\n", text(checker.checked()),
                   counted(findings.size(), "finding")));
  const int otherwise = !findings.empty() ? exit_negative : is_nothing ? exit_undecided : exit_good;
  return exit_after(problems, otherwise);
}

}  // namespace

std::function<int()> declare_kernels_check(CommandLine line) {
  auto options = std::make_shared<KernelsCheckOptions>();
  declare_libraries(line, options->kernels);
  line.add_option("--op", options->op, "Only what is for this operator or Definition").text("OP");
  line.add_option("--format", options->format, "text or json")
      .one_of({"text", "json"})
      .text("FORMAT");
  return [options] { return check(*options); };
}

}  // namespace kbench
