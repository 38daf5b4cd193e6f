#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "reference/torch/exact/exact_arithmetic.hpp"
#include "reference/torch/serving/choice_origin.hpp"
#include "reference/torch/serving/exact_answer.hpp"
#include "reference/torch/serving/execute.hpp"
#include "reference/torch/serving/memory.hpp"
#include "reference/torch/serving/outputs.hpp"
#include "schema/dtype.hpp"

namespace kbench {
namespace {

// Reference in exact arithmetic, ready to be called again and again.
class ExactCall {
 public:
  // Fills `recorder`, if there is one, with the events of the last call. `rounds_float8`: as for
  // ExactArithmetic.
  ExactCall(const ReferenceRequest& request, const PrivateInputs& inputs, ChoiceRecorder* recorder,
            bool rounds_float8 = false)
      : request_(request), inputs_(inputs), recorder_(recorder), rounds_float8_(rounds_float8) {}

  std::vector<at::Tensor> operator()(const ExactInputs& how) {
    if (function_ == nullptr) load();
    inputs_.restore(inputs_.modified());
    at::manual_seed(0);
    auto arguments = exact_arguments(request_.inputs, inputs_, how);
    if (recorder_ != nullptr) recorder_->begin();
    ExactArithmetic exact(recorder_, rounds_float8_);
    exact.read_bits(views_, views_ == nullptr ? 0 : views_->first_of_call(), how);
    if (!is_measured_) exact.show(work_ = {}, picks_ = {});
    ValueFlow flow;
    if (how.value_rounding > 0)
      flow.round({how.operand_rounding, how.value_rounding, how.decay_steps}, how.run);
    if (!is_measured_ || how.value_rounding > 0) exact.show(flow);
    try {
      const c10::IValue value = function_->call(arguments);
      if (exact.wrote_to_copies())
        throw RaisedError("the reference writes to a float by its bits", 0);
      makes_codes_ = exact.makes_codes();
      std::vector<at::Tensor> outputs = output_tensors(value, request_);
      if (!is_measured_) keep_histories(flow, outputs);
      finest_read_ = exact.finest_read();
      is_measured_ = true;
      return outputs;
    } catch (...) {
      refused_bits_ = exact.refused_bits();
      throw;
    }
  }
  // Sets what x.view(dtype) is natively, from now on. It must outlive this.
  void read_bits(const BitViews& views) {
    views_ = &views;
    function_.reset();
  }
  const BitViews* views() const { return views_; }
  bool refused_bits() const { return refused_bits_; }
  bool makes_codes() const { return makes_codes_; }
  double finest_read() const { return finest_read_; }
  const RoundingWork& work() const { return work_; }  // the first run's, as the next one
  bool uses_picks() const { return picks_.any(); }
  // Histories of the outputs of the first run.
  const std::vector<ValueHistory>& histories() const { return histories_; }

 private:
  void keep_histories(const ValueFlow& flow, const std::vector<at::Tensor>& outputs) {
    histories_.clear();
    for (const at::Tensor& output : outputs) histories_.push_back(flow.of(output));
  }

  void load() {
    ExactArithmetic exact(nullptr, rounds_float8_);
    exact.read_bits(views_, 0, {});
    try {
      function_ = load_reference(request_, {.arithmetic = Arithmetic::exact});
    } catch (...) {
      refused_bits_ = exact.refused_bits();
      throw;
    }
  }

  const ReferenceRequest& request_;
  const PrivateInputs& inputs_;
  std::unique_ptr<ReferenceFunction> function_;
  ChoiceRecorder* recorder_;
  const BitViews* views_ = nullptr;
  bool refused_bits_ = false;
  double finest_read_ = std::numeric_limits<double>::infinity();
  bool makes_codes_ = false, is_measured_ = false;
  RoundingWork work_;
  PickUse picks_;
  std::vector<ValueHistory> histories_;
  bool rounds_float8_;
};

// Runs natively, so that the exact runs know torch.finfo's answers.
void record_limits(const ReferenceRequest& request, const PrivateInputs& inputs) {
  if (request.reference.find("finfo") == std::string::npos) return;
  at::manual_seed(0);
  const auto function = load_reference(request, {.records_limits = true});
  function->call(native_arguments(request.inputs, inputs));
}

// Runs natively to see what every x.view(dtype) is.
void record_views(const ReferenceRequest& request, const PrivateInputs& inputs, BitViews& views) {
  inputs.restore(inputs.modified());
  at::manual_seed(0);
  const WatchOperators watching(views);
  const auto function = load_reference(request, {});
  views.end_loading();
  function->call(native_arguments(request.inputs, inputs));
}

// Makes the first run: twice, where only a run tells what it reads out of bytes.
std::vector<at::Tensor> first_run(ExactCall& call, const ReferenceRequest& request,
                                  const PrivateInputs& inputs, BitViews& views) {
  try {
    return call({});
  } catch (...) {
    if (!call.refused_bits()) throw;
  }
  record_views(request, inputs, views);
  call.read_bits(views);
  return call({});
}

// Move so small that the inputs are rounded back, whatever their dtype.
constexpr double below_all_roundoffs = 0x1p-26;

// Returns the size of the inputs' moves: tiny where bytes of floats are read, which must stay.
double finest_roundoff(const ReferenceRequest& request, const ExactCall& call) {
  double finest = call.finest_read();
  for (const ReferenceArgument& argument : request.inputs)
    if (is_widened(argument)) finest = std::min(finest, unit_roundoff(argument.dtype));
  const bool is_any = std::isfinite(finest);
  return is_any && call.views() != nullptr ? std::min(finest, below_all_roundoffs) : finest;
}

bool has_integer_outputs(const ReferenceRequest& request) {
  return std::any_of(request.outputs.begin(), request.outputs.end(), [](const auto& output) {
    return info(output.dtype).kind == DTypeKind::integer;
  });
}

// Makes as many runs as the effort is worth; returns how many.
int run_perturbed(ExactCall& call, ExactInputs how, const ExactEffort& effort,
                  const ChoiceRecorder& recorder, ExactAnswerMemory& answer) {
  const int runs = runs_within(effort.budget_seconds, call.work().seconds(),
                               {effort.least_runs, effort.most_runs});
  for (int run = 1; run <= runs; ++run) {
    how.run = static_cast<std::uint64_t>(run);
    answer.add(call(how), recorder.events());
  }
  return runs;
}

// Returns the roundoff of the coarsest dtype of 16 bits or more in or out; 0: all have 32.
double operand_roundoff(const ReferenceRequest& request) {
  double coarsest = 0;
  const auto add = [&](DType dtype) {
    const bool is_floating = info(dtype).kind == DTypeKind::floating;
    if (is_floating && info(dtype).bits >= 16) coarsest = std::max(coarsest, unit_roundoff(dtype));
  };
  for (const ReferenceArgument& argument : request.inputs) add(argument.dtype);
  for (const ReferenceResult& output : request.outputs) add(output.dtype);
  return coarsest > unit_roundoff(DType::float32) ? coarsest : 0;
}

// An honest float32 output's error depends on what was rounded on the way to it.
bool find_rounded(const ReferenceRequest& request, std::vector<OutputOrigin>& origins) {
  bool any = false;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    origins[i].is_rounded =
        request.outputs[i].dtype == DType::float32 && origins[i].history.is_computed;
    any = any || origins[i].is_rounded;
  }
  return any;
}

int run_rounded(ExactCall& call, ExactInputs how, const ReferenceRequest& request,
                ExactAnswerMemory& answer) {
  const ExactEffort& effort = request.exact;
  const int runs = std::min(runs_within(effort.budget_seconds, call.work().seconds(),
                                        {effort.least_runs, effort.most_runs}),
                            8);
  how.operand_rounding = operand_roundoff(request);
  how.value_rounding = unit_roundoff(DType::float32);
  how.decay_steps = effort.decay_steps;
  for (int run = 1; run <= runs; ++run) {
    how.run = static_cast<std::uint64_t>(run);
    answer.add_rounded(call(how));
  }
  answer.finish_rounded(runs);
  return runs;
}

bool may_differ(const at::Tensor& output, const OutputOrigin& origin) {
  const bool is_certain =
      c10::isIntegralType(output.scalar_type(), false) && !origin.history.is_uncertain;
  return origin.rows.empty() && !is_certain && may_have_alternates(output);
}

// Adds alternates for outputs of integers or float4 that nothing is known about, or that were
// rounded: their numbers before may have been rounded, natively. They are held against a run that
// rounds to float8 where the reference does, as for scales that codes depend on: `outputs` get its
// codes.
void add_alternates(const ReferenceRequest& request, const PrivateInputs& inputs,
                    const BitViews* views, std::vector<at::Tensor>& outputs,
                    std::vector<OutputOrigin>& origins) {
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (may_differ(outputs[i], origins[i])) wanted.push_back(i);
  if (wanted.empty()) return;
  ExactCall call(request, inputs, nullptr, true);
  if (views != nullptr) call.read_bits(*views);
  const MovedRun moved = [&](double size, std::uint64_t run) {
    return call({.perturbation = size, .run = run});
  };
  try {
    const std::vector<at::Tensor> own = moved(0, 0);
    for (const std::size_t i : wanted) outputs[i] = own[i];
  } catch (const std::exception&) {  // the reference refuses double tensors for float8
    return;
  }
  auto found = find_alternates(outputs, wanted, request.exact, call.work().seconds(), moved);
  for (const std::size_t i : wanted) origins[i].moved = std::move(found[i]);
}

}  // namespace

ExecuteResult run_exact(const ReferenceRequest& request, const PrivateInputs& inputs) {
  const at::NoGradGuard no_grad;
  keep_tensor_memory();
  record_limits(request, inputs);
  ChoiceRecorder recorder;
  BitViews views;
  ExactCall call(request, inputs, has_integer_outputs(request) ? &recorder : nullptr);
  std::vector<at::Tensor> outputs = first_run(call, request, inputs, views);
  ExactInputs how;
  ExecuteResult result;
  result.reply.makes_codes = call.makes_codes();
  result.reply.longest_sum = call.work().longest_sum();
  result.reply.shares_an_error = call.work().shares_an_error();
  result.reply.uses_picks = call.uses_picks();
  const std::vector<ChoiceEvent> events = recorder.events();
  std::vector<c10::IValue> arguments;  // values that an event may have chosen by
  if (!events.empty()) arguments = exact_arguments(request.inputs, inputs, how);
  std::vector<OutputOrigin> origins =
      find_origins({outputs, events, std::move(arguments)}, recorder, [&] { return call(how); });
  for (std::size_t i = 0; i < outputs.size(); ++i) origins[i].history = call.histories()[i];
  const bool is_rounded = find_rounded(request, origins);
  const double roundoff = finest_roundoff(request, call);
  if (std::isfinite(roundoff)) add_alternates(request, inputs, call.views(), outputs, origins);
  ExactAnswerMemory answer(outputs, std::move(origins), events);
  outputs.clear();  // frees their memory for the next runs
  if (std::isfinite(roundoff)) {
    how.perturbation = roundoff;
    result.reply.perturbed_runs = run_perturbed(call, how, request.exact, recorder, answer);
    answer.finish(result.reply.perturbed_runs, roundoff);
  }
  how.perturbation = 0;
  if (is_rounded) result.reply.rounded_runs = run_rounded(call, how, request, answer);
  answer.move_to(result);
  return result;
}

}  // namespace kbench
