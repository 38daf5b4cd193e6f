// Options of kbench tune.
#pragma once

#include <optional>
#include <string>

#include "cli/judging/run_options.hpp"
#include "judge/contender.hpp"
#include "judge/derive/direction.hpp"
#include "judge/run.hpp"
#include "judge/run_caches.hpp"
#include "kernels/registry/sidecar.hpp"
#include "reference/evaluator.hpp"

namespace kbench {

class CommandLine;

struct TuneCommand {
  RunCommand run;
  bool dry_run = false;
  bool force = false;
  std::string strategy = "exhaustive";
  std::string objective = "time";
  std::string direction = "fwd";
  double budget_seconds = 0;
  std::size_t evaluations = 0;  // 0: as many as the strategy wants
  double contest_seconds = 3;
  std::string format = "table";
  std::string html;
  std::string import;  // a recorded search, whose configurations come first; "": none
};

void declare_tuning(CommandLine line, TuneCommand& command);

// kbench tune --direction bwd|fwd+bwd: what of a Solution's gradients is tuned, and by what it is
// judged.

// One Solution's, in one direction.
struct TunedGradient {
  Direction direction = Direction::backward;
  GradientSpec spec;
  GradientFunctions functions;
};

// Nothing where it has none that kbench can judge, which is reported.
std::optional<TunedGradient> tuned_gradient(const Stored<Solution>& solution,
                                            const Sidecar& sidecar, const Definition& definition,
                                            Direction direction, Diagnostics& reports);

// Autograd's answers, from a process that is there as long as it.
class GradientReferences {
 public:
  explicit GradientReferences(const RunOptions& options);

  // How configurations are started on this workplace. "" , or why nobody can be judged: the
  // reference has no gradient. What is started refers to it, to `place` and its last answers.
  std::string prepare(const Workplace& place, const TunedGradient& gradient, std::uint64_t seed);
  StartContender start(const Workplace& place, const TunedGradient& gradient) const;

 private:
  RunCaches caches_;
  ReferenceEvaluator evaluator_;
  std::optional<PreparedGradient> prepared_;
};

}  // namespace kbench
