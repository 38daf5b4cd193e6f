// Common parts of the tests of structured inputs. Programs are written as references and run by
// kbench-torch.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "judge/made.hpp"
#include "reference/exact_case.hpp"

namespace kbench::structured {

using nlohmann::json;
using Sets = std::set<std::string>;

struct Task {
  std::string op_type;
  std::map<std::string, int> axes;
  json inputs, outputs;
  std::string reference;
};

class Structured : public ExactTest {
 protected:
  // Returns the sets by which `text` is refused.
  static Sets refusing(const Task& task, const PreparedWorkload& workload,
                       const std::string& text) {
    const Definition program = definition_of(task, text);
    Sets out;
    for (const auto* some : {&workload.trials, &workload.structured}) {
      for (const Trial& trial : *some) {
        const ReferenceAnswer answer = evaluator(EvaluatorChoice::libtorch)
                                           .evaluate(program, workload.problem, trial.inputs, {});
        EXPECT_EQ(answer.outcome, Outcome::ok) << answer.message << "\n" << text;
        if (answer.outcome != Outcome::ok) continue;
        VerdictContext context{"task", task.op_type, {}};
        context.standards = trial.standards;
        const Verdict verdict =
            find_rule("kbench")->judge(context, answer.outputs, trial.reference.outputs);
        if (verdict.status == Status::passed) continue;
        out.insert(std::string(set_name(trial.set)));
        details_[text] = verdict.detail;
      }
    }
    return out;
  }

  // Expects, over several seeds, that right programs are refused by no set.
  static void expect_right(const Task& task, const std::vector<std::string>& programs,
                           const Preparing& how = {}) {
    const Definition reference = definition_of(task, task.reference);
    const auto line = workload_of(task);
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const PreparedWorkload made =
          prepared(reference, line, seed, evaluator(EvaluatorChoice::libtorch), how);
      for (const std::string& text : programs)
        EXPECT_EQ(refusing(task, made, text), Sets{}) << seed << text << details_[text];
    }
  }

  // Expects that a wrong program is refused by `by` with every seed.
  static void expect_wrong(const Task& task, const std::string& by, const std::string& text,
                           const Preparing& how = {}) {
    const Definition reference = definition_of(task, task.reference);
    const auto line = workload_of(task);
    int random = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const PreparedWorkload made =
          prepared(reference, line, seed, evaluator(EvaluatorChoice::libtorch), how);
      const Sets sets = refusing(task, made, text);
      EXPECT_TRUE(sets.contains(by)) << "seed " << seed << text;
      random += sets.contains("random") ? 1 : 0;
    }
    RecordProperty("by_random", random);
  }

  // Returns the sets that are not dropped.
  static Sets prepared_sets(const Task& task, const std::vector<std::string>& tags = {},
                            const Preparing& how = {}) {
    Definition reference = definition_of(task, task.reference);
    reference.tags = tags;
    const auto line = workload_of(task);
    const PreparedWorkload made =
        prepared(reference, line, 1, evaluator(EvaluatorChoice::libtorch), how);
    const auto& used = made.input_sets.value().used;
    return {used.begin(), used.end()};
  }

  static inline std::map<std::string, std::string> details_;
};

inline json tensor(const std::vector<std::string>& shape, const std::string& dtype) {
  return {{"shape", shape}, {"dtype", dtype}};
}

inline Task softmax(const std::string& dtype, int rows, int columns) {
  return {"softmax",
          {{"M", rows}, {"N", columns}},
          {{"x", tensor({"M", "N"}, dtype)}},
          {{"y", tensor({"M", "N"}, dtype)}},
          "def run(x):\n    return torch.softmax(x.float(), dim=-1).to(x.dtype)\n"};
}

inline const std::vector<std::string> dtypes{"float32", "float16", "bfloat16"};

}  // namespace kbench::structured
