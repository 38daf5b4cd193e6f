// The judge's side of kbench-torch: asks the process with LibTorch for a reference's outputs.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_memory.hpp"
#include "problem/problem.hpp"
#include "problem/reference_protocol.hpp"
#include "problem/tensor_view.hpp"
#include "reference/answers.hpp"
#include "sandbox/service.hpp"
#include "schema/definition.hpp"

namespace kbench {

// Choice of an evaluator.
enum class EvaluatorChoice : std::uint8_t {
  automatic,  // LibTorch; Python where LibTorch does not compile the text, or fails
  libtorch,
  python,
};

std::optional<EvaluatorChoice> find_choice(std::string_view name);  // "auto", "libtorch", "python"

struct ReferenceLimits {
  double seconds = 300;  // wall time of one request, calls and timing together
  std::uint64_t bytes = std::uint64_t{16} << 30;  // memory beyond what LibTorch itself takes
  double start_seconds = 120;  // limit until kbench-torch is ready, on a busy machine
  EvaluatorChoice evaluator = EvaluatorChoice::automatic;
};

struct ReferenceAnswer {
  using Outcome = ReferenceOutcome;
  Outcome outcome = Outcome::ok;
  Evaluator evaluator = Evaluator::libtorch;  // source of the answer
  std::string message;
  int line = 0;                      // line of the reference's text, from 1; 0 unknown
  SharedMemory memory;               // memory of the outputs
  std::vector<TensorView> outputs;   // outputs in order, as returned (dtype, shape); a Python
                                     // number is a 0-D tensor of the declared dtype
  double call_ns = 0;                // duration of its first call: its cost, no measured time
  std::vector<std::string> written;  // names of the inputs that the reference changes in place
  bool is_kept = false;              // kept by an earlier run
  WatchedCall watched;               // facts of a call, if ReferenceEffort asks for them
  std::optional<ExactAnswer> exact;  // absent: not wanted, or there is none
  std::string exact_absent;          // reason why there is none although it was wanted
  bool has_exact_died = false;       // its process ended: a fault, no mere inability
};

// Argument of a Definition's check(), by its name.
struct CheckArgument {
  std::string name;
  std::optional<Scalar> scalar;  // none: a tensor
  TensorView tensor;             // a scalar's has a dtype alone
  bool is_double = false;        // float64 elements, whatever the tensor's dtype says
};

// Judgement of a check() on a candidate's outputs.
struct CheckAnswer {
  ReferenceOutcome outcome = ReferenceOutcome::ok;
  std::string message;  // reason of its failure
  int line = 0;         // line of the reference's text, from 1; 0 unknown
  std::string refusal;  // reason why the outputs are wrong; "": they are right
  double residual = 0;  // largest one, in its tolerances
};

// Arithmetic of a gradient; and, for an exact one, whether with condition estimates and slopes.
struct GradientWish {
  GradientWish(Arithmetic in, const ExactEffort& and_effort = {})
      : arithmetic(in), effort(and_effort) {}
  Arithmetic arithmetic;
  ExactEffort effort;
};

class ReferenceEvaluator {
 public:
  // Waits for an answer end with Interrupted when `stop` becomes true. `store` is where good
  // answers are looked up and kept.
  ReferenceEvaluator(const std::filesystem::path& kbench_torch, ReferenceLimits limits, int threads,
                     const std::atomic<bool>& stop, AnswerStore store = {});
  ~ReferenceEvaluator();
  ReferenceEvaluator(const ReferenceEvaluator&) = delete;
  ReferenceEvaluator& operator=(const ReferenceEvaluator&) = delete;

  // Starts kbench-torch unless it runs. Returns at once: LibTorch loads while the judge goes on
  // with its work. Any request that no kept answer serves starts it as well.
  void start();
  // Tells whether evaluate() will find its answer kept.
  bool keeps(const Definition& definition, const Problem& problem, const Inputs& inputs,
             const ReferenceEffort& effort, const ExactEffort& exact = {}) const;

  // Returns the kept answer, else runs the reference on `inputs`; after a good answer again in
  // double precision, if that is wanted, in a process of its own, which changes nothing of the
  // native answer. Throws ServiceFailure, Interrupted.
  ReferenceAnswer evaluate(const Definition& definition, const Problem& problem,
                           const Inputs& inputs, const ReferenceEffort& effort,
                           const ExactEffort& exact = {});
  // Returns the vector-Jacobian product for cotangents of floating outputs, known by their names;
  // an output without one does not count. Throws ServiceFailure, Interrupted.
  GradientAnswer gradient(const Definition& definition, const Problem& problem,
                          const Inputs& inputs, std::span<const NamedTensor> cotangents,
                          const GradientWish& wish);
  // Calls the function `check` of the reference's text, in native arithmetic; nothing is kept.
  // Several threads may ask. Throws ServiceFailure, Interrupted.
  CheckAnswer check(const Definition& definition, std::span<const CheckArgument> arguments);
  // Compiles only: outcome ok or unsupported.
  ReferenceAnswer compile(const Definition& definition);
  // Returns "2.15.0", from a kept answer, or when LibTorch is loaded.
  std::string torch_version();
  // Service that forks processes with Python and torch loaded: its own for Python, and hosts.
  std::shared_ptr<Service> python_forks();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kbench
