// Answers of kbench-torch: in double precision, as it gave them (docs/references.md), and on disk,
// by everything that they rest on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/cache.hpp"
#include "base/shared_memory.hpp"
#include "problem/origin.hpp"
#include "problem/reference_protocol.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {

struct ExactTensor {
  bool is_floating = false;
  std::vector<std::int64_t> shape;
  // Values r of a floating output, and the condition estimate M (verdict/within_tolerance.hpp),
  // zeros where no run was perturbed.
  std::span<const double> values, condition;
  TensorView stored;  // any other output: integers, bools and packed float4 of the double run
  std::optional<Chosen> chosen;        // an integer output's, if its origin is known
  std::optional<RoundedFrom> rounded;  // an integer output's, if its origin is known
  std::vector<Alternates> moved;       // alternates of an output that is no choice, one a move
  // Flags with the meaning that ExactOutput gives them (problem/reference_protocol.hpp).
  bool after_product = true, after_codes = true, only_sums = false, is_uncertain = true;
  std::span<const double> roundings;
};

struct ExactAnswer {
  SharedMemory memory;               // memory of the tensors
  std::vector<ExactTensor> outputs;  // outputs in order
  int perturbed_runs = 0;            // source of the condition estimates
  int rounded_runs = 0;              // source of ExactTensor::roundings
  // The double run rounded a float to whole numbers or sorted it into bins: what quantising to
  // integers and to tables does, in the double run as well.
  bool makes_codes = false;
  double longest_sum = 1;        // most terms that an operator summed up for one element
  bool shares_an_error = false;  // one number was calculated on the way that others depend on
  // Result depends on which of equal numbers an operator chose, beyond the choice itself.
  bool uses_picks = false;
};

// Maps a reply's exact outputs. Throws std::runtime_error where its tensors do not fit the memory:
// kbench-torch is not trusted with the judge's.
ExactAnswer exact_answer(const ReferenceReply& reply, SharedMemory memory);
// Returns views of the outputs of a native reply, one each. Throws std::runtime_error where they do
// not fit.
std::vector<TensorView> output_views(const ReferenceReply& reply, const SharedMemory& memory);

// Vector-Jacobian product: Σ over the outputs of cotangent·output, differentiated by the inputs.
struct GradientAnswer {
  struct Gradient {
    std::string input;
    bool is_unused = false;  // no output depends on it: zeros
    TensorView native;       // native gradient, in the input's dtype
    ExactTensor exact;  // double precision; its condition estimate is zeros unless it was wanted
    std::optional<Slope> slope;  // a double-precision gradient's
  };
  ReferenceOutcome outcome = ReferenceOutcome::ok;
  Evaluator evaluator = Evaluator::libtorch;
  std::string message;
  int line = 0;                     // line of the reference's text, from 1; 0 unknown
  SharedMemory memory;              // memory of the gradients
  std::vector<Gradient> gradients;  // one for each floating tensor input but float4, in order
  int perturbed_runs = 0;           // source of the condition estimates
  double longest_sum = 1;           // the outputs', as ExactAnswer's
  bool shares_an_error = false;     // that of ExactAnswer
};

// Makes a GradientAnswer of a reply. Throws as exact_answer().
GradientAnswer to_gradient(ReferenceReply reply, SharedMemory memory, Evaluator evaluator);

// Place of kept answers, and their machine: another processor may round otherwise.
struct AnswerStore {
  Cache* cache = nullptr;  // none: nothing is kept
  std::string machine;
  bool is_shared = false;  // files of other machines lie elsewhere
};

// Reply of kbench-torch, beside the memory that came with it.
struct Said {
  std::string torch_version;
  Evaluator evaluator = Evaluator::libtorch;
  std::string reply;  // text as it was sent
};

struct KeptAnswer {
  Said said;
  SharedMemory memory;  // begins with the reply's memory; mapped, not copied
};

// Returns a text that changes whenever another kbench-torch would answer: it, its part for Python,
// or its LibTorch. `by_content`: the same on every machine, but as slow as reading them.
std::string evaluator_identity(const std::filesystem::path& kbench_torch, bool by_content = false);

// Returns the SHA-256 of all that an answer rests on: the request without its limits (an answer
// within them is the same), the origin or bytes of its tensors, the evaluator, the machine.
std::string answer_key(ReferenceRequest request, const Inputs& inputs, const std::string& evaluator,
                       const std::string& machine);

std::optional<KeptAnswer> find_answer(const Cache& cache, const std::string& key);
void keep_answer(Cache& cache, const std::string& key, const Said& said,
                 const SharedMemory& memory);

}  // namespace kbench
