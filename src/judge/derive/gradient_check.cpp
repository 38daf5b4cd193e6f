// Checks of gradients: run, forward and backward have a process each, which is called again and
// again, and what a check finds is a row.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "judge/derive/gradient_run.hpp"
#include "problem/element.hpp"

namespace kbench {
namespace {

constexpr int largest_power = 6;   // dy is scaled by 2^6
constexpr int repeated_calls = 8;  // calls of each function, on the same inputs

class Checker {
 public:
  Checker(const GradientSubject& subject, const EvaluateOptions& options)
      : subject_(subject),
        prepared_(subject.prepared),
        problem_(subject.prepared.problem),
        options_(options) {}

  std::vector<GradientRow> check() {
    const std::string forward = subject_.functions.forward.function;
    const Inputs& first = prepared_.cases.front().trial->inputs;
    run_.emplace(plan(""), prepared_.workload->problem, first);
    forward_.emplace(plan(forward), problem_.forward, first);
    for (const GradientCase& one : prepared_.cases) {
      if (!check_forward(one)) break;
      if (!check_backward(one)) break;
    }
    if (!failed_) check_repeated();
    if (!failed_) check_linear();
    add_untouched();
    add_nondiff();
    for (const NotAsked& dropped : prepared_.dropped)
      add({"inputs", dropped.name, RowStatus::note, "not asked: " + dropped.why});
    return std::move(rows_);
  }

 private:
  CandidatePlan plan(const std::string& function) const {
    const BuildResult build =
        function.empty() ? subject_.build : entered_at(subject_.build, function);
    return candidate_plan(*prepared_.workload, subject_.solution, build, options_);
  }

  // A check is made of many sets of inputs, and has one row of each tensor: the first that is
  // wrong, else the one that uses most of its bound.
  void add(GradientRow row) {
    failed_ |= row.status == RowStatus::wrong;
    const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const GradientRow& there) {
      return there.check == row.check && there.subject == row.subject;
    });
    if (same == rows_.end()) return rows_.push_back(std::move(row));
    const auto part = [](const GradientRow& one) {
      if (!one.worst || one.worst->error == 0) return 0.0;
      return one.worst->bound > 0 ? one.worst->error / one.worst->bound : INFINITY;
    };
    const bool is_worse =
        row.status == same->status ? !(part(row) <= part(*same)) : row.status == RowStatus::wrong;
    const double factor = std::min(row.visible_factor, same->visible_factor);
    if (is_worse) *same = std::move(row);
    same->visible_factor = factor;
  }

  // Place of a call, for its row.
  struct CallPlace {
    const char* check;
    const std::string& function;
    const std::string& set;
    std::string cotangent = "";
  };

  // Adds a row, which is wrong where there is a fault; false then.
  bool add(const CallPlace& place, const std::string& fault) {
    GradientRow row{place.check, place.function};
    if (!fault.empty()) {
      row.status = RowStatus::wrong;
      row.detail = fault;
      row.set = place.set;
      row.cotangent = place.cotangent;
    }
    add(std::move(row));
    return fault.empty();
  }

  bool call(FunctionProcess& process, const CallPlace& place, const Inputs& inputs) {
    const auto failure = process.call(inputs);
    if (failure && failure->wrote_input) touched_ = failure->cause;
    return add(place, failure ? failure->cause : "");
  }

  bool check_written(const FunctionProcess& process, const CallPlace& place) {
    const std::string left = process.unwritten();
    return add(place, left.empty() ? "" : left + " (or what was there before was added to)");
  }

  bool check_forward(const GradientCase& one) {
    current_ = &one;
    const Inputs& inputs = one.trial->inputs;
    const bool has_run =
        call(*run_, {"run call", subject_.solution.spec.entry_point, one.set}, inputs);
    const std::string& function = subject_.functions.forward.function;
    if (!call(*forward_, {"forward call", function, one.set}, inputs)) return false;
    if (!check_written(*forward_, {"written", "outputs and residuals", one.set})) return false;
    left_ = kept(forward_->outputs());
    if (has_run) {
      by_run_ = kept(run_->outputs());
      for (GradientRow& row : judged_outputs("run", one, views_of(by_run_))) add(std::move(row));
      check_primal(one, views_of(left_));
    }
    return has_run;
  }

  // A row of each output, by the verdict's criterion.
  std::vector<GradientRow> judged_outputs(const char* check, const GradientCase& one,
                                          const std::vector<TensorView>& outputs) const {
    const auto& plans = prepared_.workload->problem.outputs;
    std::vector<GradientRow> rows;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      rows.push_back(judged_row(check, plans[i].name, outputs[i], one.trial->reference.outputs[i],
                                one.trial->standards[i]));
      rows.back().set = one.set;
    }
    return rows;
  }

  // Judges the forward outputs by the criterion, and says whether their bits are those of run.
  void check_primal(const GradientCase& one, const std::vector<TensorView>& outputs) {
    std::vector<GradientRow> rows = judged_outputs("primal", one, outputs);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::size_t& others = most_others_[rows[i].subject];
      if (&one == current_)
        others = std::max(others, differing_elements(outputs[i], by_run_[i].view));
      if (rows[i].status == RowStatus::ok)
        rows[i].detail =
            others == 0
                ? "equal to run, bit for bit"
                : fmt::format("equal to run by the criterion; {} of {} elements have other bits",
                              others, element_count(outputs[i].shape));
      add(std::move(rows[i]));
    }
  }

  // Gradients that vjp gives; nothing where it failed.
  std::optional<std::vector<KeptTensor>> call_backward(const GradientCase& one,
                                                       const Cotangent& cotangent) {
    const Inputs inputs = backward_inputs(problem_, one.trial->inputs, views_of(left_), cotangent);
    const std::string& function = subject_.functions.backward.function;
    if (!backward_) backward_.emplace(plan(function), problem_.backward, inputs);
    if (!call(*backward_, {"backward call", function, one.set, cotangent.label}, inputs))
      return std::nullopt;
    if (!check_written(*backward_, {"written", "gradients", one.set, cotangent.label}))
      return std::nullopt;
    return kept(backward_->outputs());
  }

  bool check_backward(const GradientCase& one) {
    for (std::size_t c = 0; c < one.cotangents.size(); ++c) {
      auto gradients = call_backward(one, one.cotangents[c]);
      if (!gradients) return false;
      judge(one, c, *gradients);
    }
    return true;
  }

  void judge(const GradientCase& one, std::size_t c, const std::vector<KeptTensor>& gradients) {
    const GradientReference& reference = one.gradients[c];
    const std::string& label = one.cotangents[c].label;
    // "one-hot" of "one-hot output[3, 17]": rows are by kind.
    const std::string check = "gradient, " + label.substr(0, label.find(' '));
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      GradientRow row = judged_row(check, problem_.backward.outputs[i].name, gradients[i].view,
                                   reference.answer.outputs[i], reference.standards[i]);
      row.set = one.set;
      row.cotangent = label;
      add(std::move(row));
    }
  }

  // Makes the same calls again: what they leave depends on nothing but what they are given. A call
  // that leaves other bits is judged as the first was.
  void check_repeated() {
    const GradientCase& one = prepared_.cases.front();
    const std::string& function = subject_.functions.forward.function;
    RepeatedTensors outputs, gradients;
    for (int i = 0; i < repeated_calls; ++i) {
      if (!call(*forward_, {"forward call", function, one.set}, one.trial->inputs)) return;
      const std::vector<TensorView> left = forward_->outputs();
      if (!outputs.add(left)) check_primal(one, left);
    }
    left_ = kept(views_of(outputs.first));
    for (int i = 0; i < repeated_calls; ++i) {
      const auto again = call_backward(one, one.cotangents.front());
      if (!again) return;
      if (!gradients.add(views_of(*again))) judge(one, 0, *again);
    }
    add_repeated("outputs and residuals", outputs);
    add_repeated("gradients", gradients);
  }

  void add_repeated(const char* subject, const RepeatedTensors& repeated) {
    GradientRow row{"repeatable", subject, RowStatus::ok,
                    fmt::format("bit for bit in {} calls", repeated_calls)};
    if (repeated.others > 0) {
      row.status = RowStatus::note;
      row.detail = fmt::format("{} of {} elements have other bits in one of {} calls",
                               repeated.others, repeated.all, repeated_calls);
    }
    add(std::move(row));
  }

  // A Jacobian's product is linear in the cotangent: one of zeros gives zeros, one times 2^n the
  // same times 2^n, one of a sum the sum.
  void check_linear() {
    const GradientCase& one = prepared_.cases.front();
    const Cotangent& random = one.cotangents.front();
    const auto own = call_backward(one, random);
    const auto zero = own ? call_backward(one, zero_cotangent(problem_)) : std::nullopt;
    const int power = power_for(one);
    const auto large = zero ? call_backward(one, scaled(random, power)) : std::nullopt;
    const Summands parts = summands(random);
    const auto part = large ? call_backward(one, parts.part) : std::nullopt;
    const auto sum = part ? call_backward(one, parts.sum) : std::nullopt;
    if (!sum) return;
    for (std::size_t i = 0; i < own->size(); ++i) {
      const auto& error_tolerance = std::get<ErrorTolerance>(one.gradients.front().standards[i]);
      std::vector<double> bound(error_tolerance.size()), roundings(error_tolerance.size());
      for (std::size_t k = 0; k < bound.size(); ++k) bound[k] = error_tolerance.allowed(k);
      // Parts of an answer that cancels were rounded at their own size.
      for (const auto* gradients : {&*own, &*part, &*sum}) {
        const std::vector<double> values = decoded((*gradients)[i].view);
        for (std::size_t k = 0; k < bound.size(); ++k)
          roundings[k] += error_tolerance.scale().u_out * std::fabs(values[k]);
      }
      add_linear("linear, zero", i, *zero, {}, std::vector<double>(bound.size()));
      add_linear("linear, scale", i, *large, combined((*own)[i], std::ldexp(1.0, power), nullptr),
                 times(bound, 2 * std::ldexp(1.0, power)));
      bound = times(std::move(bound), 4);
      for (std::size_t k = 0; k < bound.size(); ++k) bound[k] += roundings[k];
      add_linear("linear, sum", i, *sum, combined((*own)[i], 1, &(*part)[i]), bound);
    }
  }

  static std::vector<double> times(std::vector<double> numbers, double factor) {
    for (double& number : numbers) number *= factor;
    return numbers;
  }

  static std::vector<double> combined(const KeptTensor& tensor, double factor,
                                      const KeptTensor* other) {
    std::vector<double> out = times(decoded(tensor.view), factor);
    if (other == nullptr) return out;
    const std::vector<double> more = decoded(other->view);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += more[i];
    return out;
  }

  void add_linear(const char* check, std::size_t i, const std::vector<KeptTensor>& gradients,
                  std::vector<double> expected, const std::vector<double>& bound) {
    const TensorPlan& plan = problem_.backward.outputs[i];
    expected.resize(bound.size());
    GradientRow row{check, plan.name};
    const WorstElement worst =
        furthest_off(decoded(gradients[i].view), expected, bound, plan.shape);
    if (!(worst.error <= worst.bound)) {
      row.status = RowStatus::wrong;
      row.detail = fmt::format("not linear in the cotangent at {}: {}, expected {} ± {:.2g}",
                               worst.place, worst.value, worst.expected, worst.bound);
    }
    row.worst = worst;
    add(std::move(row));
  }

  // Power by which no gradient leaves its dtype's range, nor an intermediate that of the outputs'.
  int power_for(const GradientCase& one) const {
    double room = HUGE_VAL;
    const ReferenceAnswer& answer = one.gradients.front().answer;
    for (std::size_t i = 0; i < answer.outputs.size(); ++i) {
      double largest = 1;
      for (const double value : answer.exact->outputs[i].values)
        if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
      room = std::min(room, info(answer.outputs[i].dtype).largest / largest);
    }
    for (const std::size_t output : problem_.outputs)
      room = std::min(room, info(problem_.forward.outputs[output].dtype).largest / 8);
    return std::clamp(static_cast<int>(std::log2(room / 64)), 1, largest_power);
  }

  void add_untouched() {
    const int calls = (forward_ ? forward_->calls() : 0) + (backward_ ? backward_->calls() : 0);
    GradientRow row{"untouched", "inputs", RowStatus::ok,
                    fmt::format("only readable in {} calls", calls)};
    if (!touched_.empty()) {
      row.status = RowStatus::wrong;
      row.detail = touched_;
    }
    add(std::move(row));
  }

  void add_nondiff() {
    const auto& inputs = prepared_.workload->problem.inputs;
    for (std::size_t i = 0; i < problem_.nondiff.size(); ++i) {
      double largest = 0;
      for (const GradientCase& one : prepared_.cases)
        for (const GradientReference& gradient : one.gradients)
          largest = std::max(largest, gradient.nondiff[i]);
      GradientRow row{"nondiff", inputs[problem_.nondiff[i]].tensor.name, RowStatus::ok,
                      "autograd's gradient is zero"};
      if (largest > 0) {
        row.status = RowStatus::note;
        row.detail = fmt::format(
            "declared to have no gradient; autograd's is up to {:.6g}, and nobody checks it",
            largest);
      }
      add(std::move(row));
    }
  }

  const GradientSubject& subject_;
  const PreparedGradient& prepared_;
  const GradientProblem& problem_;
  const EvaluateOptions& options_;
  std::optional<FunctionProcess> run_, forward_, backward_;
  std::vector<KeptTensor> left_;           // the last forward call's: outputs, then residuals
  std::vector<KeptTensor> by_run_;         // those of the last call of run
  const GradientCase* current_ = nullptr;  // case of that call
  std::map<std::string, std::size_t> most_others_;  // elements of an output that run has otherwise
  std::vector<GradientRow> rows_;
  std::string touched_;
  bool failed_ = false;
};

}  // namespace

std::vector<GradientRow> check_gradients(const GradientSubject& subject,
                                         const EvaluateOptions& options) {
  return Checker(subject, options).check();
}

}  // namespace kbench
