// Answers that are not unique, judged by the Definition's own check(). Programs are written as
// references and run by kbench-torch.
#include "judge/output_check.hpp"

#include "judge/structured_case.hpp"
#include "judge/trial_verdict.hpp"

namespace kbench::structured {
namespace {

json matrix(const char* rows, const char* columns) {
  return {{"shape", {rows, columns}}, {"dtype", "float32"}};
}

Task qr(const std::string& check) {
  return {"qr",
          {{"M", 12}, {"N", 4}},
          {{"A", matrix("M", "N")}},
          {{"Q", matrix("M", "N")}, {"R", matrix("N", "N")}},
          "def run(A):\n    return torch.linalg.qr(A)\n\n" + check};
}

const std::string residuals =
    "def check(A, Q, R):\n"
    "    A, Q, R = A.double(), Q.double(), R.double()\n"
    "    unit = 1e-5 * torch.linalg.norm(A)\n"
    "    return {\n"
    "        \"orthogonality\": (Q.T @ Q - torch.eye(4, dtype=torch.float64)).abs() / 1e-5,\n"
    "        \"product\": (Q @ R - A).abs() / unit,\n"
    "        \"below the diagonal\": R.tril(-1).abs() / unit\n"
    "    }\n";

class OutputChecks : public Structured {
 protected:
  // Returns the first refusal of `program` on any input set, "" where there is none.
  static std::string refusal(const PreparedWorkload& workload, const Task& task,
                             const std::string& program) {
    const Definition definition = definition_of(task, program);
    for (const Trial* trial : judged_sets(workload)) {
      const ReferenceAnswer answer = evaluator(EvaluatorChoice::libtorch)
                                         .evaluate(definition, workload.problem, trial->inputs, {});
      EXPECT_EQ(answer.outcome, Outcome::ok) << answer.message;
      const Verdict verdict =
          trial_verdict(*find_rule("kbench"), workload.problem, {}, *trial, answer.outputs);
      if (verdict.status != Status::passed) return verdict.detail;
    }
    return "";
  }

  static std::string body(const std::string& rest) {
    return "def run(A):\n    Q, R = torch.linalg.qr(A)\n    " + rest + "\n";
  }

  // Returns why the workload cannot be prepared.
  static std::string failure(const Task& task) {
    try {
      const Definition definition = definition_of(task, task.reference);
      prepared(definition, workload_of(task), 1, evaluator(EvaluatorChoice::libtorch));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(OutputChecks, SayWhichAnswersAreRight) {
  const Task task = qr(residuals);
  const Definition definition = definition_of(task, task.reference);
  const auto line = workload_of(task);
  const PreparedWorkload workload =
      prepared(definition, line, 1, evaluator(EvaluatorChoice::libtorch));
  EXPECT_EQ(*workload.exact->judged_by->find("Q"), "check");
  EXPECT_EQ(workload.exact->judged_against, "exact");
  EXPECT_FALSE(workload.structured.empty());
  EXPECT_EQ(workload.non_discriminating, std::vector<std::string>{});
  const auto said = [&](const std::string& rest) { return refusal(workload, task, body(rest)); };
  EXPECT_EQ(said("return Q, R"), "");
  EXPECT_EQ(said("return -Q, -R"), "");
  EXPECT_NE(said("return Q * 2, R / 2").find("\"orthogonality\" is "), std::string::npos);
  EXPECT_NE(said("return Q, R * 1.001").find("\"product\" is "), std::string::npos);
  EXPECT_NE(said("return Q, R + 0.1").find("check(): "), std::string::npos);
  EXPECT_NE(said("return Q * float('nan'), R")
                .find("output \"Q\": 48 of 48 elements are NaN, and the reference has none"),
            std::string::npos);
}

TEST_F(OutputChecks, JudgeNoOtherOutputs) {
  const Task task =
      qr("def check(A, Q, expected_R):\n"
         "    return (Q.double() @ expected_R - A.double()).abs() / 1e-4\n");
  const Definition definition = definition_of(task, task.reference);
  const auto line = workload_of(task);
  const PreparedWorkload workload =
      prepared(definition, line, 1, evaluator(EvaluatorChoice::libtorch), {.structured = false});
  EXPECT_EQ(*workload.exact->judged_by->find("Q"), "check");
  EXPECT_EQ(*workload.exact->judged_by->find("R"), "numbers");
  EXPECT_EQ(refusal(workload, task, body("return Q, R")), "");
  EXPECT_NE(refusal(workload, task, body("return Q, -R")).find("\"R\""), std::string::npos);
  EXPECT_NE(refusal(workload, task, body("return -Q, R")).find("check(): "), std::string::npos);
}

TEST_F(OutputChecks, AreToldWhereTrivialAnswersPass) {
  const auto found = [](const std::string& check) {
    const Task task = qr(check);
    const Definition definition = definition_of(task, task.reference);
    const auto line = workload_of(task);
    const PreparedWorkload workload =
        prepared(definition, line, 1, evaluator(EvaluatorChoice::libtorch));
    return std::pair(workload.non_discriminating, workload.trivial_outputs);
  };
  using Names = std::vector<std::string>;
  const auto [all, some] = found("def check(Q, R):\n    return Q.abs() <= 1, R.isfinite()\n");
  EXPECT_EQ(all.front(), "Q: zeros");
  EXPECT_EQ(all.back(), "R: previous answer");
  EXPECT_EQ(some, Names{});
  const auto [none, others] = found("def check(Q):\n    return (Q.T @ Q - torch.eye(4)) / 1e-4\n");
  EXPECT_EQ(none, Names{});
  EXPECT_EQ(others, Names{"Q: previous answer"});
}

TEST_F(OutputChecks, FailuresAreTheDefinitions) {
  const std::string head = "def check(A, Q, R):\n    ";
  EXPECT_NE(failure(qr(head + "return (Q - A).abs() * 100\n"))
                .find("check() refuses the reference's own answer (workload w): the residual is "),
            std::string::npos);
  EXPECT_NE(failure(qr(head + "raise ValueError('odd')\n")).find("check() fails on the"),
            std::string::npos);
  EXPECT_NE(failure(qr("def check(A, Q, S):\n    return Q * 0\n")).find("\"S\""),
            std::string::npos);
}

TEST_F(OutputChecks, FailingOnACandidateRefuseIt) {
  const Task raises =
      qr("def check(A, Q, R):\n"
         "    if float(Q[0, 0]) == 7.0:\n        raise ValueError('seven')\n"
         "    return (Q.double() @ R.double() - A.double()).abs() / 1e-4\n");
  const Definition definition = definition_of(raises, raises.reference);
  const auto line = workload_of(raises);
  const PreparedWorkload workload =
      prepared(definition, line, 1, evaluator(EvaluatorChoice::libtorch), {.structured = false});
  EXPECT_EQ(refusal(workload, raises, body("return -Q, -R")), "");
  EXPECT_EQ(refusal(workload, raises, body("return torch.full_like(Q, 7.0), R")),
            "check() failed in line 7: ValueError: seven");
}

}  // namespace
}  // namespace kbench::structured
