// Table of docs/trust.md: each rule's verdict on the outputs of the hostile candidates.
// KBENCH_BLESS=1 writes it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>

#include "judge/hostile.hpp"

namespace kbench {
namespace {

constexpr std::array<std::string_view, 3> others{"flashinfer-bench", "kernelbench",
                                                 "robust-kbench"};

// Verdicts of the rules on what one candidate left, input set by input set.
using Said = std::array<std::vector<Verdict>, others.size()>;

struct Row {
  Trace trace;
  Said said;
};

// One run in plain mode under the rule kbench; the other rules judge the same outputs, of its
// random inputs.
std::map<std::string, Row> rows() {
  std::map<std::string, Row> out;
  const TraceSet set = hostile_set();
  const PreparedWorkload* workload = nullptr;
  Said said;
  JudgeOptions options;
  options.rule = "kbench";
  options.prepared = [&](const PreparedWorkload& made) { workload = &made; };
  options.judged = [&](std::size_t set, const std::vector<TensorView>& outputs, const Verdict&) {
    const Trial& trial = *judged_sets(*workload)[set];
    if (trial.set != InputSet::random) return;
    const VerdictContext context{workload->problem.definition, workload->problem.op_type, {}};
    for (std::size_t i = 0; i < others.size(); ++i) {
      said[i].push_back(find_rule(others[i])->judge(context, outputs, trial.reference.outputs));
    }
  };
  options.finished = [&](const std::string& name, const Trace& trace) {
    out[name] = {trace, std::move(said)};
    said = {};
  };
  judge(set, smallest_workloads(set), options);
  return out;
}

// Tells whether the verdict comes from the outputs: else there is none of theirs to judge, or the
// process ended, or what was beside them changed, which all rules are told of alike.
bool is_of_outputs(Status status) {
  return status == Status::passed || status == Status::incorrect_numerical;
}

std::string text_of(Status status) { return status == Status::passed ? "**PASSED**" : "wrong"; }

std::string promised(const nlohmann::json& expected) {
  if (expected.is_null() || expected["status"] == "any") return "not promised";
  return expected["status"].get<std::string>();
}

std::string line_of(const std::string& name, const nlohmann::json& expected, const Row& row) {
  std::string line = fmt::format("| {} | {} |", name, expected["row"].get<std::string>());
  const Status plain = row.trace.evaluation->status;
  const bool holds = promised(expected["plain"]) != "not promised";
  line += fmt::format(" {} | {} |", holds ? status_name(plain) : "not promised",
                      promised(expected["audit"]));
  for (const std::vector<Verdict>& said : row.said) {
    if (!holds)
      line += " |";
    else if (!is_of_outputs(plain) || said.empty())
      line += " as plain |";
    else
      line += fmt::format(" {} |", text_of(combine(said).status));
  }
  return line + "\n";
}

std::string table() {
  std::string text = "| candidate | row | kbench, plain | kbench, audit |";
  for (const std::string_view rule : others) text += fmt::format(" {} |", rule);
  text += "\n|---|---|---|---|---|---|---|\n";
  const auto all = rows();
  for (const auto& [name, expected] : hostile_expectations().items())
    text += line_of(name, expected, all.at(expected["solution"].get<std::string>()));
  return text;
}

TEST(HostileTable, IsThatOfTheDocument) {
  if (const std::string& why = missing_for(Isolation::namespaces); !why.empty())
    GTEST_SKIP() << why;
  const std::filesystem::path path = std::filesystem::path(KBENCH_SOURCE_DIR) / "docs" / "trust.md";
  const std::string begin = "<!-- table of candidates: begin -->\n",
                    end = "<!-- table of candidates: end -->\n";
  const std::string document = read_file(path), made = table();
  const std::size_t from = document.find(begin), to = document.find(end);
  ASSERT_NE(from, std::string::npos);
  ASSERT_NE(to, std::string::npos);
  const std::size_t first = from + begin.size();
  if (std::getenv("KBENCH_BLESS") != nullptr) {
    std::ofstream(path) << document.substr(0, first) << made << document.substr(to);
    return;
  }
  EXPECT_EQ(document.substr(first, to - first), made)
      << "KBENCH_BLESS=1 judge_test --gtest_filter='HostileTable*' writes it";
}

}  // namespace
}  // namespace kbench
