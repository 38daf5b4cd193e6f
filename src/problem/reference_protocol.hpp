// Messages between the judge and kbench-torch: one each way over base/channel.hpp, a JSON text.
// Tensors lie in a memfd that travels beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "problem/origin.hpp"
#include "problem/seen_use.hpp"
#include "problem/tensor_view.hpp"
#include "schema/dtype.hpp"

namespace kbench {

// Extra work of a native run beside its call: nothing of it times the reference.
struct ReferenceEffort {
  bool watch = false;  // one more call, unless it takes over a second: its operators are watched
  // A failure is the answer: no other evaluator is asked. The judge's own, no part of a request.
  bool is_draft = false;
};

// The answer in double precision: one run, then perturbed ones for the condition estimate: at least
// `least_runs`, then more until `budget_seconds` are spent, at most `most_runs`.
struct ExactEffort {
  bool wanted = false;
  int least_runs = 4;
  int most_runs = 48;
  // The budget of counted work, by rates that are the same everywhere: so is the number of runs.
  double budget_seconds = 0.1;
  // Relative sizes by which inputs are moved to see what else an integer output that is no choice
  // may be (problem/origin.hpp, Alternates).
  std::vector<double> moves;
  // Steps over which a recurrence's decays may be added up as logarithms before the exponential is
  // taken, as chunked scans do; 0: the reference has no recurrence.
  double decay_steps = 0;
};

// Program that runs a reference.
enum class Evaluator : std::uint8_t {
  libtorch,  // LibTorch's own compiler (TorchScript's), without any Python
  python,    // the CPython of the environment that LibTorch is from
};
std::string_view evaluator_name(Evaluator evaluator);  // "libtorch", "python"

// The command line of kbench-torch, `program`, where this evaluator runs: one that answers
// requests, or does what further words say.
std::vector<std::string> torch_command(const std::filesystem::path& program, Evaluator evaluator,
                                       std::vector<std::string> words = {});

enum class ReferenceOutcome : std::uint8_t {
  ok,
  unsupported,  // the evaluator cannot run it: LibTorch cannot compile it, or there is no Python
  failed,       // it raised, or returned something that is no output
  timeout,
  out_of_memory,
  died,  // killed by a signal, or exited by itself
};

// An argument of run(): a tensor in the inputs' memory, or a Python scalar.
struct ReferenceArgument {
  std::string name;
  DType dtype = DType::float32;
  bool is_scalar = false;
  Scalar scalar;                    // a scalar's value
  std::vector<std::int64_t> shape;  // a tensor's, in elements
  std::size_t offset = 0;           // place in the inputs' memory, bytes
  std::size_t bytes = 0;
  bool is_double = false;  // a tensor of float64, whatever `dtype` says: no Definition declares it
};

// Arithmetic that a reference runs in.
enum class Arithmetic : std::uint8_t {
  native,  // dtypes as its text says
  exact,   // every floating dtype of its text is float64: docs/references.md
};

// An output as the Definition declares it: a Python number that run() returns becomes a 0-D tensor
// of `dtype`; a dict is read in the order of the names.
struct ReferenceResult {
  std::string name;
  DType dtype = DType::float32;
};

struct ReferenceRequest {
  enum class Kind : std::uint8_t {
    run,
    compile,
    gradient,  // derivative of the outputs' dot product with `cotangents`, by every floating input
    check,     // calls the reference's check() of a candidate's outputs, which are among `inputs`
  };
  Kind kind = Kind::run;
  Arithmetic arithmetic = Arithmetic::native;
  Evaluator evaluator = Evaluator::libtorch;
  std::string reference;
  std::vector<ReferenceArgument> inputs;
  std::vector<ReferenceResult> outputs;
  // Cotangents of a gradient: one tensor a floating output, by its name, in the inputs' memory.
  std::vector<ReferenceArgument> cotangents;
  ReferenceEffort effort;   // a native run's
  ExactEffort exact;        // an exact run's
  double seconds = 0;       // limit on the wall time of the request
  std::uint64_t bytes = 0;  // limit on memory beyond what LibTorch and the inputs take
  int threads = 1;
};

// Returns the name of the function in the reference's text that a request calls.
constexpr std::string_view called_function(ReferenceRequest::Kind kind) {
  return kind == ReferenceRequest::Kind::check ? "check" : "run";
}

// An output in the memory that comes with the reply.
struct ReferenceOutput {
  DType dtype = DType::float32;
  std::vector<std::int64_t> shape;  // lengths in elements
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

// Numbers of 8 bytes in that memory.
struct MemoryPart {
  std::size_t offset = 0, count = 0;
};

// Values of an output when its inputs were moved: an Alternate is two of these numbers.
struct MovedOutput {
  MemoryPart seen;
  double per_run = 0;
};

// An output of an exact run in that memory. A floating one is the double answer and its condition
// estimate, both float64 of this shape; any other is the run's own.
struct ExactOutput {
  bool is_floating = false;
  DType dtype = DType::int64;  // dtype of an output that is not floating
  std::vector<std::int64_t> shape;
  std::size_t offset = 0, bytes = 0;
  std::size_t condition_offset = 0;  // place of a floating one's condition estimate; as many bytes
  // Origin of an integer output, where it is known (problem/origin.hpp): each part is an array of
  // 8-byte numbers, a ChoiceRow five of them, and may be empty.
  Rounding rounding = Rounding::none;
  MemoryPart choice_rows, slots, options, scores,
      score_condition;             // `scores` of a rounded one, too
  std::vector<MovedOutput> moved;  // one for each of ExactEffort::moves, unless it is a choice
  // A product of matrices on the way to it took a number that had been computed before; something
  // on the way was rounded to codes. Both are true where nobody looked.
  bool after_product = true, after_codes = true;
  // Right programs may have another number there, as arithmetic rounds.
  bool is_uncertain = true;
  // Nothing was rounded on the way to it but sums and products of matrices of inputs.
  bool only_sums = false;
  // Root mean square error of each element of a float32 output when all that is calculated on the
  // way to it is rounded to float32, and operands of products to what they may have.
  MemoryPart roundings;
};

// Slope of the cotangents' dot product with the outputs along one direction of one input: by the
// gradient, and by the difference of two calls beside it.
struct Slope {
  double by_gradient = 0, by_difference = 0;
  double size = 0;   // √Σ (gradient·direction)²: what both are to be measured by
  double noise = 0;  // rounding error of the difference
};

// Facts of a call whose operators were watched.
struct WatchedCall {
  std::optional<double> flops;       // operations
  std::optional<double> bytes_read;  // bytes of the inputs
  std::vector<SeenUse> uses;         // one for each argument; none: nothing was watched
  bool wraps = false;                // an integer was too large for its dtype
  // Operator by which another call on the same inputs has another answer; "": none.
  std::string unsteady;
};

struct ReferenceReply {
  ReferenceOutcome outcome = ReferenceOutcome::ok;
  std::string message;  // failure, or LibTorch's version in the first reply, sent when it is ready
  int line = 0;         // line of the reference's text, from 1; 0 unknown
  std::vector<ReferenceOutput> outputs;   // a gradient's: one for each floating tensor input
  double call_ns = 0;                     // duration of the first call: its cost, no timing of it
  std::vector<std::string> written;       // names of the inputs that the reference changed in place
  WatchedCall watched;                    // if ReferenceEffort asks for it; of a failed call, too
  std::vector<ExactOutput> exact;         // an exact run's or gradient's, instead of `outputs`
  int perturbed_runs = 0;                 // runs that the condition estimates come from
  int rounded_runs = 0;                   // runs that ExactOutput::roundings come from
  bool makes_codes = false;               // an exact run rounded a float to whole numbers
  double longest_sum = 0;                 // terms; 0: no exact run
  bool shares_an_error = false;           // an exact run calculated a single number on the way
  bool uses_picks = false;                // something follows from which of equal numbers it chose
  std::vector<std::string> gradients_of;  // the inputs that a gradient's outputs belong to
  std::vector<std::string> unused;        // inputs among these that no output depends on: zeros
  std::vector<Slope> slopes;              // one for each, where an exact gradient was to give them
  std::string refusal;                    // reason that a check refused outputs; "": it did not
  double residual = 0;                    // largest residual of a check, in its tolerances
};

std::string encode(const ReferenceRequest& request);
std::string encode(const ReferenceReply& reply);
// Both throw std::runtime_error when the text is not what the other side's encode() writes.
ReferenceRequest decode_reference_request(std::string_view text);
ReferenceReply decode_reference_reply(std::string_view text);

}  // namespace kbench
