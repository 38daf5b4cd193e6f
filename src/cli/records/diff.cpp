// kbench diff: a verdict rule applied to stored tensors.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "problem/data/safetensors.hpp"
#include "schema/to_json.hpp"
#include "verdict/verdict.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct DiffOptions {
  std::string output;
  std::string reference;
  std::string rule = "flashinfer-bench";
  std::string definition;
  std::string op_type;
  std::string format = "table";
  Tolerance tolerance;
};

// Two files of tensors are no double-precision answer.
std::vector<std::string> rules_without_exact() {
  std::vector<std::string> names;
  for (const VerdictRule& rule : verdict_rules()) {
    if (!rule.needs_exact) names.emplace_back(rule.name);
  }
  return names;
}

// All tensors of a file; a dtype that no Definition has is reported.
std::vector<NamedTensor> tensors_of(const SafetensorsFile& file, const std::string& path,
                                    Diagnostics& problems) {
  std::vector<NamedTensor> tensors;
  for (const StoredTensor& stored : file.header().tensors) {
    if (stored.dtype) {
      tensors.push_back({stored.name, file.view(stored)});
    } else {
      problems.error({path}, fmt::format("'{}' has dtype {}, which no Definition can have",
                                         stored.name, stored.dtype_name));
    }
  }
  return tensors;
}

std::optional<Verdict> judge(const DiffOptions& options, Diagnostics& problems) {
  const auto output = SafetensorsFile::open(options.output, problems);
  const auto reference = SafetensorsFile::open(options.reference, problems);
  if (!output || !reference) return std::nullopt;
  const auto outputs = tensors_of(*output, options.output, problems);
  const auto expected = tensors_of(*reference, options.reference, problems);
  if (problems.errors() > 0) return std::nullopt;
  const VerdictContext context{options.definition, options.op_type, options.tolerance};
  return judge_by_name(*find_rule(options.rule), context, outputs, expected, problems);
}

// The errors mean something only in these two cases; the files of FlashInfer-Bench hold null
// otherwise.
bool has_correctness(const Verdict& verdict) {
  return verdict.status == Status::passed || verdict.status == Status::incorrect_numerical;
}

void print_verdict(const Verdict& verdict, const DiffOptions& options) {
  const std::string_view status = status_name(verdict.status);
  const Json correctness =
      has_correctness(verdict) ? Json::parse(to_json(verdict.correctness, Dump::full)) : Json();
  if (options.format == "json") {
    return print(
        Json{{"rule", options.rule}, {"status", status}, {"correctness", correctness}}.dump(2) +
        "\n");
  }
  std::string text = fmt::format("{:<20}{}\n{:<20}{}\n", "rule", options.rule, "status", status);
  for (const auto& [name, value] : correctness.items()) {
    if (value.is_null()) continue;
    text += fmt::format("{:<20}{}\n", name,
                        value.is_string() ? value.get<std::string>() : value.dump());
  }
  if (!verdict.detail.empty()) text += verdict.detail + "\n";
  print(text);
}

int exit_for(const Verdict& verdict) {
  if (verdict.status == Status::passed) return exit_good;
  return verdict.status == Status::runtime_error ? exit_input : exit_negative;
}

int diff(const DiffOptions& options) {
  Diagnostics problems;
  const auto verdict = judge(options, problems);
  for (const Diagnostic& problem : problems.items()) say(problem);
  if (!verdict) return exit_input;
  print_verdict(*verdict, options);
  return exit_for(*verdict);
}

}  // namespace

std::function<int()> declare_diff(CommandLine line) {
  auto options = std::make_shared<DiffOptions>();
  line.add_option("output OUTPUT", options->output, "The tensors to judge, a safetensors file")
      .required();
  line.add_option("reference REFERENCE", options->reference, "The right ones, under the same names")
      .required();
  line.add_option(
          "--rule RULE", options->rule,
          "Verdict rule (docs/verdict.md); kernelbench and robust-kbench are our reading of "
          "theirs; default " +
              options->rule)
      .one_of(rules_without_exact());
  line.add_option("--atol X", options->tolerance.atol, "Absolute tolerance; default: the rule's")
      .check(number(0));
  line.add_option("--rtol X", options->tolerance.rtol, "Relative tolerance; default: the rule's")
      .check(number(0));
  line.add_option("--ratio X", options->tolerance.required_matched_ratio,
                  "Part of the elements that must be right (by the rule, mostly 1)")
      .check(number(0, 1));
  line.add_option("--definition NAME", options->definition,
                  "Name of the Definition, by which rules differ");
  line.add_option("--op-type T", options->op_type, "Its op_type, likewise");
  line.add_option("--format FORMAT", options->format, "table or json").one_of({"table", "json"});
  return [options] { return diff(*options); };
}

}  // namespace kbench
