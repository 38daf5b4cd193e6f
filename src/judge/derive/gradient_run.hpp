// Gradients in the place of outputs: a run of kbench grad builds, prepares and reports as any run
// does, and each pair is checked and timed here (RunOptions::judge_pair).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "judge/derive/direction.hpp"
#include "judge/derive/gradient_report.hpp"
#include "judge/job.hpp"
#include "judge/run.hpp"

namespace kbench {

struct GradientOptions {
  bool is_timed = true;
  bool is_emulated = false;  // solutions in CUDA are judged, too
  bool only_pairs = false;   // solutions without gradients are left out, and are no failure
  Direction direction = Direction::both;       // direction that is timed
  const Configurator* configurator = nullptr;  // the run's
};

class GradientJudge {
 public:
  // Both outlive it: the set, and the configurator.
  GradientJudge(const TraceSet& set, const GradientOptions& options)
      : set_(set), options_(options) {}

  // The jobs, with those solutions alone that have gradients to judge; what is wrong with the
  // gradients of others is reported.
  std::vector<Job> jobs_of(std::vector<Job> jobs, Diagnostics& reports);

  // Throws as ReferenceEvaluator does.
  GradientReport judge(const Job& job, const PreparedWorkload& workload, const Solution& solution,
                       const BuildResult& build, const EvaluateOptions& options);

 private:
  std::optional<DeclaredGradient> declared(const Solution& solution, Diagnostics& reports) const;
  void note_configuration(const Job& job, const Solution& solution, GradientReport& report) const;
  void judge_built(const GradientSubject& subject, const EvaluateOptions& options,
                   GradientReport& report) const;
  void time(const GradientSubject& subject, const EvaluateOptions& options,
            GradientReport& report) const;

  const TraceSet& set_;
  const GradientOptions options_;
  // Keys are names of solutions: one with a configuration is no record of the set.
  std::map<std::string, std::optional<DeclaredGradient>> declared_;
};

// ---- gradient_check.cpp ----

// The checks of a Solution's gradients on one workload, each a row: docs/gradients.md says what
// each proves. Nothing that the candidate does makes it throw: a crash, a hang, a refusal are rows.
std::vector<GradientRow> check_gradients(const GradientSubject& subject,
                                         const EvaluateOptions& options);

}  // namespace kbench
