// kbench kernels check: every solution against its Definition and its siblings, every kernel
// against its schema.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/kernel_set.hpp"
#include "cli/kernel_solutions.hpp"
#include "cli/kernels.hpp"
#include "cli/terminal.hpp"
#include "registry/cpp_functions.hpp"
#include "registry/lookup.hpp"
#include "registry/signature.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  KernelOptions kernels;
  std::string op;
  std::string format = "text";
};

// What was held against what, and how it differs.
struct Finding {
  std::string operation;
  std::string implementation;
  std::string reference;
  std::vector<std::string> differences;
  Where where;
};

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

  std::size_t checked() const { return checked_; }

 private:
  bool is_asked(const std::string& operation) const {
    return op_.empty() || same_operation(operation, op_);
  }

  void note(Finding finding) {
    ++checked_;
    if (!finding.differences.empty()) findings_.push_back(std::move(finding));
  }

  void check_library(const KernelLibrary& library) {
    const std::vector<SourceFile> sources = sources_of(library);
    for (const OperatorEntry& entry : library.operators) {
      const std::string name = ops::full_name(entry.schema.name);
      if (!is_asked(name)) continue;
      for (const Kernel& kernel : entry.kernels)
        note({name, kernel.symbol, "schema " + name, kernel_differences(kernel, entry, sources),
              kernel.where});
    }
  }

  static std::vector<std::string> kernel_differences(const Kernel& kernel,
                                                     const OperatorEntry& entry,
                                                     const std::vector<SourceFile>& sources) {
    const std::size_t colons = kernel.symbol.rfind("::");
    const std::string scope = kernel.symbol.substr(0, colons);
    const std::string function = kernel.symbol.substr(colons + 2);
    const Signature wanted = kernel_signature(entry.schema);
    std::vector<std::string> best = {"no source of the library defines " + kernel.symbol};
    bool is_found = false;
    for (const SourceFile& source : sources) {
      if (may_be_made_by_macro(source.content, function) && !is_found) best.clear();
      for (CppFunction& found : find_cpp_functions(source.content, function)) {
        for (SignatureParameter& one : found.signature.parameters) one.name.clear();
        std::vector<std::string> all = found.scope == scope && !found.is_local
                                           ? differences(wanted, found.signature)
                                           : std::vector{unreachable(found, kernel, source.path)};
        if (!is_found || all.size() < best.size()) best = std::move(all);
        is_found = true;
      }
    }
    return best;
  }

  // Why a function that is there is not the kernel.
  static std::string unreachable(const CppFunction& found, const Kernel& kernel,
                                 const std::string& path) {
    const std::string function = kernel.symbol.substr(kernel.symbol.rfind("::") + 2);
    if (kernel.symbol == found.scope + "::" + function)
      return fmt::format("{} of {} is static, or in a namespace without a name", function, path);
    return fmt::format("{} defines {}{}{}; kernel_name {} means {}, in the namespace native", path,
                       found.scope, found.scope.empty() ? "" : "::", function, kernel.name,
                       kernel.symbol);
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
    const auto schema = find_schema(kernels_, name);
    if (!schema || !(is_asked(name) || is_asked(stored.record.name))) return;
    Finding finding{name, "definition " + stored.record.name, "schema " + name, {}, {}};
    bind_operator(stored.record, *schema, finding.differences);
    finding.where = place_of_link(stored);
    note(std::move(finding));
  }

  static bool is_python(const Solution& solution) {
    return solution.spec.language == Language::python || solution.spec.language == Language::triton;
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
    }
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
  std::size_t checked_ = 0;
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
    print(fmt::format("{}:{}: {} differs from {}\n", one.where.file, one.where.line,
                      one.implementation, one.reference));
    for (const std::string& difference : one.differences) print("  " + difference + "\n");
  }
}

int check(const Options& options) {
  Diagnostics problems;
  const KernelSet kernels = load_kernels(options.kernels, problems);
  Checker checker(kernels, operation_named(kernels, options.op));
  const std::vector<Finding> findings = checker.check();
  if (checker.checked() == 0 && !options.op.empty())
    problems.error({options.op, 0, 0, "", ""}, "nothing is registered for it",
                   did_you_mean(options.op, kernels.registry.operations()));
  print_findings(findings, options.format);
  tell(fmt::format("{} looked at, {} called as it should be\n",
                   counted(checker.checked(), "implementation"),
                   findings.size() == 1 ? "1 is not" : fmt::format("{} are not", findings.size())));
  const int otherwise = !findings.empty()        ? exit_negative
                        : checker.checked() == 0 ? exit_undecided
                                                 : exit_good;
  return exit_after(problems, otherwise);
}

}  // namespace

std::function<int()> declare_kernels_check(CLI::App& app) {
  auto options = std::make_shared<Options>();
  declare_libraries(app, options->kernels);
  app.add_option("--op", options->op, "Only what is for this operator or Definition")
      ->option_text("OP");
  app.add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->option_text("FORMAT");
  return [options] { return check(*options); };
}

}  // namespace kbench
