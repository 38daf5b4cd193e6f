// Recorder of the choices in an exact run: what operators chose by scores, drew by weights or
// rounded to integers, and whether anything follows from which of equal numbers they picked.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "problem/origin.hpp"

namespace kbench {

// Call of such an operator. Its rows are laid out one after the other, whatever axis it worked
// along.
struct ChoiceEvent {
  std::string name;  // "aten::topk"
  ChoiceKind kind = ChoiceKind::greatest;
  PickOrder order = PickOrder::none;
  Rounding rounding = Rounding::none;  // rounding operators have scores [1, elements] alone
  at::Tensor scores;                   // float64 [rows, options]
  at::Tensor picked;                   // int64 [rows, picked]
  std::vector<std::int64_t> sizes;     // shape of the operator's indices
  std::int64_t axis = -1;              // axis of `sizes` along which it picked; -1: none is left

  // Returns rows like `picked`, shaped as the operator gives them.
  at::Tensor as_given(const at::Tensor& rows) const;
};

class ChoiceRecorder {
 public:
  // Begins a run; the events of the last one are forgotten.
  void begin();
  // Makes the operators with these numbers (the order of their calls) pick this instead in every
  // later run: rows like ChoiceEvent::picked.
  void force(std::map<std::size_t, at::Tensor> picks) { forced_ = std::move(picks); }
  // Keeps the scores of these events alone in later runs.
  void keep_only(std::set<std::size_t> wanted) { wanted_ = std::move(wanted); }

  // Called around every operator: the stack ends with its arguments before, its results after.
  void before(const c10::OperatorHandle& op, const torch::jit::Stack& stack);
  void after(torch::jit::Stack& stack);

  const std::vector<ChoiceEvent>& events() const { return events_; }
  // Tells whether an event was too large to be kept: then no choice of the run is known.
  bool overflowed() const { return overflowed_; }

 private:
  struct Pending {  // arguments of an operator's call
    ChoiceEvent event;
    at::Tensor self;
    std::int64_t axis = -1;
    bool is_whole = false;  // the tensor is one row
    bool gives_values = false;
  };
  static std::optional<Pending> look(const c10::OperatorHandle& op, const torch::jit::Stack& stack);

  static void read_picks(ChoiceEvent& event, const Pending& pending, const at::Tensor& given);
  bool is_kept() const { return !wanted_ || wanted_->contains(events_.size()); }
  void replace(const ChoiceEvent& event, const Pending& pending, const at::Tensor& picked,
               torch::jit::Stack& stack) const;

  std::vector<ChoiceEvent> events_;
  std::optional<Pending> pending_;
  std::map<std::size_t, at::Tensor> forced_;
  std::optional<std::set<std::size_t>> wanted_;
  std::int64_t kept_ = 0;  // number of kept scores
  bool overflowed_ = false;
};

// Observer of the operators of one run. Operators such as topk, argmax, sort, max(dim) may pick any
// of equal numbers: a returned index can be judged by its score, but anything gathered, masked or
// chosen further by it is another right answer for each right choice.
class PickUse {
 public:
  // Takes an operator with its arguments and its results.
  void add(const c10::OperatorHandle& op, const std::vector<c10::IValue>& given,
           c10::ArrayRef<c10::IValue> results);

  bool any() const { return any_; }

 private:
  bool is_pick(const at::Tensor& tensor) const;
  bool has_picks(const c10::IValue& value) const;

  std::vector<at::Tensor> picks_;  // picks and copies of them, kept so that none takes their memory
  bool any_ = false;
};

}  // namespace kbench
