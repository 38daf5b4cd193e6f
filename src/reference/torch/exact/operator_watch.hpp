// Every operator that a reference calls, seen before it runs: by way of a dispatch key that stands
// above autograd and all devices, which LibTorch keeps free for this (TESTING_ONLY_GenericMode).
// TorchScript's interpreter and eager Python both pass through the dispatcher, so one mechanism
// serves both.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace kbench {

class OperatorWatch {
 public:
  virtual ~OperatorWatch() = default;
  // Runs the operator on its arguments, which are the last ones on the stack, and leaves its
  // results in their place. `keys` is what the call was dispatched with.
  virtual void run(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                   torch::jit::Stack& stack) = 0;
};

// Runs the operator without the watch seeing it or the operators that it is made of.
void run_unwatched(const c10::OperatorHandle& op, torch::jit::Stack& stack);
// Runs it so that the watch sees what it is made of.
void run_parts_watched(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                       torch::jit::Stack& stack);

// While it lives, no operator of this thread is seen.
class WatchNothing {
 public:
  WatchNothing();

 private:
  c10::impl::ExcludeDispatchKeyGuard exclude_;
};

// Every operator's dispatch table is changed for it, once. Done when it is first needed; what forks
// calls this before, or each fork copies the tables.
void enable_watching();

// While it lives, the operators of this thread go through `watch`. One at a time.
class WatchOperators {
 public:
  explicit WatchOperators(OperatorWatch& watch);
  ~WatchOperators();
  WatchOperators(const WatchOperators&) = delete;
  WatchOperators& operator=(const WatchOperators&) = delete;

 private:
  c10::impl::IncludeDispatchKeyGuard include_;
};

}  // namespace kbench
