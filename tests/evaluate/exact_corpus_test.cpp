// Double answers of real references: how many have one, alike by both evaluators, and which of them
// quantise. In make test every 24th, with KBENCH_FULL=1 all, with a line of counts.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "data/generate.hpp"
#include "evaluate/exact_record.hpp"
#include "problem/bind.hpp"
#include "reference/exact_case.hpp"
#include "schema/trace_set.hpp"
#include "support/outside.hpp"

namespace kbench {
namespace {

class ExactCorpus : public ExactTest {
 protected:
  struct Totals {
    int references = 0, exact = 0, native = 0, unlike = 0;
  };

  static ReferenceEvaluator& evaluator(EvaluatorChoice choice) {
    const auto make = [](EvaluatorChoice which) {
      ReferenceLimits limits;
      limits.evaluator = which;
      limits.seconds = 120;
      limits.bytes = std::uint64_t{16} << 30;
      return limits;
    };
    static ReferenceEvaluator libtorch(program, make(EvaluatorChoice::libtorch), 2, never_stopped);
    static ReferenceEvaluator python(program, make(EvaluatorChoice::python), 2, never_stopped);
    return choice == EvaluatorChoice::python ? python : libtorch;
  }

  static bool is_full() { return std::getenv("KBENCH_FULL") != nullptr; }

  // 1e-13 of what an element is made of: its gauge and itself.
  static bool are_close(const ExactTensor& a, const ExactTensor& b) {
    if (a.shape != b.shape || a.is_floating != b.is_floating) return false;
    if (!a.is_floating) {
      return std::equal(a.stored.data, a.stored.data + a.stored.bytes, b.stored.data,
                        b.stored.data + b.stored.bytes);
    }
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      const double x = a.values[i], y = b.values[i];
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      if (!(std::fabs(x - y) <= 1e-13 * std::hypot(x, a.gauge[i], b.gauge[i]))) return false;
    }
    return true;
  }

  static void count(const TraceSet& set, const Stored<Trace>& workload, Totals& totals) {
    const Definition& definition = *set.definition(workload.record.definition);
    Diagnostics problems;
    const Place line(workload.path, workload.line);
    const auto problem = bind(definition, workload.record.workload, line, problems);
    ASSERT_TRUE(problem.has_value()) << definition.name;
    const Inputs inputs =
        generate_inputs(*problem, plan_values(definition, *problem, line, problems),
                        {0, 0, set.root, 2, line}, problems);
    const int runs = is_full() ? 4 : 1;
    std::vector<ReferenceAnswer> answers;
    for (const EvaluatorChoice choice : both_evaluators) {
      answers.push_back(evaluator(choice).evaluate(definition, *problem, inputs,
                                                   {0, 0, 0, 0.0, false}, {true, runs, runs, 0}));
    }
    ++totals.references;
    for (const ReferenceAnswer& answer : answers) {
      EXPECT_EQ(answer.outcome, Outcome::ok) << definition.name << ": " << answer.message;
      // Doubles of what needs gigabytes already: said, not counted.
      const bool too_large = answer.exact_absent.find("more memory") != std::string::npos;
      EXPECT_TRUE(answer.exact.has_value() || too_large)
          << definition.name << ": " << answer.exact_absent;
      if (!answer.exact) return;
    }
    ++totals.exact;
    const ExactRecord record = exact_record(definition, *problem, answers[0]);
    if (record.judged_against == "native") {
      ++totals.native;
      std::printf("judged against its native answer: %s\n", definition.name.c_str());
    }
    for (std::size_t i = 0; i < answers[0].exact->outputs.size(); ++i) {
      if (are_close(answers[0].exact->outputs[i], answers[1].exact->outputs[i])) continue;
      ++totals.unlike;
      ADD_FAILURE() << definition.name << ": output " << i << " is another one in Python";
    }
  }
};

TEST_F(ExactCorpus, BothEvaluatorsGiveTheSameDoubleAnswers) {
  KBENCH_NEEDS_OUTSIDE();
  Diagnostics problems;
  const TraceSet set = load_trace_set(outside_folder() / "small", {false, false, 0}, problems);
  Totals totals;
  std::string last;
  int index = 0;
  for (const Stored<Trace>& workload : set.workloads) {
    if (workload.record.definition == last) continue;  // one workload of each
    last = workload.record.definition;
    if (index++ % 24 == 0 || is_full()) count(set, workload, totals);
  }
  std::printf(
      "%d references: %d with a double answer, %d of them judged against their native one\n",
      totals.references, totals.exact, totals.native);
  EXPECT_GE(totals.references, is_full() ? 164 : 7);
}

}  // namespace
}  // namespace kbench
