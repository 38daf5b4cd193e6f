// Watch on every operator that a reference calls, before it runs: by way of a dispatch key that
// stands above autograd and all devices, which LibTorch keeps free for this
// (TESTING_ONLY_GenericMode). TorchScript's interpreter and eager Python both pass through the
// dispatcher, so one mechanism serves both.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/ScalarType.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cstddef>
#include <vector>

namespace kbench {

class OperatorWatch {
 public:
  virtual ~OperatorWatch() = default;
  // Runs the operator on its arguments, which are the last ones on the stack, and leaves its
  // results in their place. `keys`: the call's dispatch keys.
  virtual void run(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                   torch::jit::Stack& stack) = 0;
};

// Runs the operator without the watch seeing it or the operators that it is made of.
void run_unwatched(const c10::OperatorHandle& op, torch::jit::Stack& stack);
// Runs it so that the watch sees the operators that it is made of.
void run_parts_watched(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                       torch::jit::Stack& stack);

// Scope in which no operator of this thread is seen.
class WatchNothing {
 public:
  WatchNothing();

 private:
  c10::impl::ExcludeDispatchKeyGuard exclude_;
};

// Changes every operator's dispatch table for the watch, once. It is called when first needed; a
// process that forks calls it before, or each fork copies the tables.
void enable_watching();

// Scope in which the operators of this thread go through `watch`. One at a time.
class WatchOperators {
 public:
  explicit WatchOperators(OperatorWatch& watch);
  ~WatchOperators();
  WatchOperators(const WatchOperators&) = delete;
  WatchOperators& operator=(const WatchOperators&) = delete;

 private:
  c10::impl::IncludeDispatchKeyGuard include_;
};

// Dtypes of one x.view(dtype) in a reference. x is double in a double run, whatever it is natively,
// and a dtype that compiled text names is, too: so a native run before keeps both, and the double
// run hears them in that order.
struct BitView {
  c10::ScalarType from, to;
};

// Tells whether it is a tensor that has memory.
bool has_memory(const c10::IValue& value);

bool is_bit_view(const c10::OperatorHandle& op);

class BitViews : public OperatorWatch {
 public:
  void run(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
           torch::jit::Stack& stack) override;
  // Counts all seen until now as part of loading the reference.
  void end_loading() { of_call_ = seen_.size(); }

  std::size_t first_of_call() const { return of_call_; }
  // Returns nullptr if there were not so many natively.
  const BitView* at(std::size_t i) const { return i < seen_.size() ? &seen_[i] : nullptr; }

 private:
  std::vector<BitView> seen_;
  std::size_t of_call_ = 0;
};

}  // namespace kbench
