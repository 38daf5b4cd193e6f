// kbench kernels check: findings of check_signatures(); all that it has compared with -v.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/kernels/kernels.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "kernels/contract/signature_check.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct KernelsCheckOptions {
  KernelOptions kernels;
  std::string op;
  std::string format = "text";
};

std::string text(const SignatureCounts& checked) {
  std::vector<std::string> parts;
  for (const auto& [count, noun] : {std::pair{checked.kernels, "kernel"},
                                    {checked.solutions, "solution"},
                                    {checked.definitions, "definition"}}) {
    if (count > 0) parts.push_back(counted(count, noun));
  }
  return parts.empty() ? "nothing" : join(parts, ", ");
}

Json json_of(const SignatureComparison& one) {
  Json json = {{"op", one.operation},        {"implementation", one.implementation},
               {"reference", one.reference}, {"differences", one.differences},
               {"file", one.where.file},     {"line", one.where.line}};
  if (!terminal().verbose) return json;
  json["notes"] = one.notes;
  json["has"] = one.has.empty() ? Json(nullptr) : Json(one.has);
  json["wanted"] = one.wanted.empty() ? Json(nullptr) : Json(one.wanted);
  return json;
}

std::string text(const SignatureComparison& one) {
  const std::string what = !one.verdict.empty()      ? one.verdict
                           : one.differences.empty() ? "fits " + one.reference
                                                     : "differs from " + one.reference;
  std::string out =
      fmt::format("{}:{}: {} {}\n", one.where.file, one.where.line, one.implementation, what);
  if (terminal().verbose && !one.has.empty()) out += fmt::format("  has    {}\n", one.has);
  if (terminal().verbose && !one.wanted.empty()) out += fmt::format("  wanted {}\n", one.wanted);
  for (const std::string& difference : one.differences) out += fmt::format("  {}\n", difference);
  for (const std::string& note : one.notes) {
    if (terminal().verbose) out += fmt::format("  {}\n", note);
  }
  return out;
}

// The findings; everything that was compared with -v.
std::vector<const SignatureComparison*> shown_comparisons(const SignatureCheck& made) {
  if (!terminal().verbose) return made.findings();
  std::vector<const SignatureComparison*> all;
  for (const SignatureComparison& one : made.comparisons) all.push_back(&one);
  return all;
}

void print_comparisons(const SignatureCheck& made, const std::string& format) {
  Json list = Json::array();
  std::string lines;
  for (const SignatureComparison* one : shown_comparisons(made)) {
    if (format == "json")
      list.push_back(json_of(*one));
    else
      lines += text(*one);
  }
  print(format == "json" ? list.dump(2) + "\n" : lines);
}

int check(const KernelsCheckOptions& options) {
  Diagnostics problems;
  const KernelSet kernels = load_kernels(options.kernels, problems);
  const SignatureCheck made = check_signatures(kernels, operation_named(kernels, options.op));
  const bool is_nothing = !made.counts.is_any();
  if (is_nothing && !options.op.empty())
    problems.error({options.op}, "nothing is registered for it",
                   operator_hint(options.op, kernels.registry.operations()));
  print_comparisons(made, options.format);
  const std::size_t findings = made.findings().size();
  tell(fmt::format("{} looked at: {}\n", text(made.counts), counted(findings, "finding")));
  const int otherwise = findings > 0 ? exit_negative : is_nothing ? exit_undecided : exit_good;
  return exit_after(problems, otherwise);
}

}  // namespace

std::function<int()> declare_kernels_check(CommandLine line) {
  auto options = std::make_shared<KernelsCheckOptions>();
  declare_libraries(line, options->kernels);
  line.add_option("--op OP", options->op, "Only what is for this operator or Definition");
  line.add_option("--format FORMAT", options->format, "text or json").one_of({"text", "json"});
  return [options] { return check(*options); };
}

}  // namespace kbench
