// Double answers of real references: how many have one, alike by both evaluators, and which of them
// quantise. make test takes every 24th, KBENCH_FULL=1 all, with a line of counts.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "judge/output_standards.hpp"
#include "problem/bind.hpp"
#include "problem/data/generate.hpp"
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
      limits.seconds = 300;
      limits.bytes = std::uint64_t{16} << 30;
      return limits;
    };
    // One thread: with more, a sum's order is the threads'.
    static ReferenceEvaluator libtorch(program, make(EvaluatorChoice::automatic), 1, never_stopped);
    static ReferenceEvaluator python(program, make(EvaluatorChoice::python), 1, never_stopped);
    return choice == EvaluatorChoice::python ? python : libtorch;
  }

  static bool is_full() { return std::getenv("KBENCH_FULL") != nullptr; }

  // Tells whether they differ by 1e-13 of an element's condition estimate and itself at most.
  static bool are_close(const ExactTensor& a, const ExactTensor& b) {
    if (a.shape != b.shape || a.is_floating != b.is_floating) return false;
    if (!a.is_floating) {
      return std::equal(a.stored.data, a.stored.data + a.stored.bytes, b.stored.data,
                        b.stored.data + b.stored.bytes);
    }
    for (std::size_t i = 0; i < a.values.size(); ++i) {
      const double x = a.values[i], y = b.values[i];
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      if (!(std::fabs(x - y) <= 1e-13 * std::hypot(x, a.condition[i], b.condition[i])))
        return false;
    }
    return true;
  }

  // Native answers have the same bits: LibTorch's compiler changes no rounding.
  static void expect_same_bits(const std::string& name,
                               const std::vector<ReferenceAnswer>& answers) {
    ASSERT_EQ(answers[0].outputs.size(), answers[1].outputs.size()) << name;
    for (std::size_t i = 0; i < answers[0].outputs.size(); ++i) {
      const TensorView &a = answers[0].outputs[i], &b = answers[1].outputs[i];
      EXPECT_EQ(a.shape, b.shape) << name;
      EXPECT_EQ(a.dtype, b.dtype) << name;
      ASSERT_EQ(a.bytes, b.bytes) << name;
      EXPECT_TRUE(a.bytes == 0 || std::memcmp(a.data, b.data, a.bytes) == 0)
          << name << ": output " << i << " has other bits in Python";
    }
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
    if (is_full()) std::printf("%s\n", definition.name.c_str()), std::fflush(stdout);
    std::vector<ReferenceAnswer> answers;
    for (const EvaluatorChoice choice : both_evaluators) {
      // The first answer alone tells whether a reference quantises: its condition estimate needs
      // some runs.
      const int runs = is_full() && answers.empty() ? 4 : 1;
      answers.push_back(
          evaluator(choice).evaluate(definition, *problem, inputs, {}, {true, runs, runs, 0}));
    }
    ++totals.references;
    for (const ReferenceAnswer& answer : answers) {
      EXPECT_EQ(answer.outcome, Outcome::ok) << definition.name << ": " << answer.message;
    }
    expect_same_bits(definition.name, answers);
    for (const ReferenceAnswer& answer : answers) {
      if (answer.exact) continue;
      // References that need gigabytes, or take a float's bits, have none: said, not counted.
      const bool has_none = answer.exact_absent.find("more memory") != std::string::npos ||
                            answer.exact_absent.find("reinterprets the bits") != std::string::npos;
      EXPECT_TRUE(has_none) << definition.name;
      std::printf("no double answer: %s: %s\n", definition.name.c_str(),
                  answer.exact_absent.c_str());
      return;
    }
    ++totals.exact;
    const ExactRecord record = error_tolerances_of(definition, *problem, inputs, answers[0]).record;
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

  // Counts every `every`th definition of the set, or all of them in the full run.
  static void count_set(const std::filesystem::path& root, int every, int least) {
    Diagnostics problems;
    const TraceSet set = load_trace_set(root, {false, false, 0}, problems);
    Totals totals;
    std::string last;
    int index = 0;
    for (const Stored<Trace>& workload : set.workloads) {
      if (workload.record.definition == last) continue;  // one workload of each
      last = workload.record.definition;
      if (index++ % every == 0 || is_full()) count(set, workload, totals);
    }
    std::printf(
        "%d references: %d with a double answer, %d of them judged against their native one\n",
        totals.references, totals.exact, totals.native);
    EXPECT_GE(totals.references, least);
  }
};

TEST_F(ExactCorpus, BothEvaluatorsGiveTheSameAnswersOfOthersReferences) {
  KBENCH_NEEDS_OUTSIDE();
  count_set(outside_folder() / "small", 24, 7);
}

TEST_F(ExactCorpus, BothEvaluatorsGiveTheSameAnswersOfOurReferences) {
  count_set(KBENCH_SOURCE_DIR, 8, 4);
}

}  // namespace
}  // namespace kbench
