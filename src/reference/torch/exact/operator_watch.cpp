#include "reference/torch/exact/operator_watch.hpp"

#include <torch/library.h>

namespace kbench {
namespace {

constexpr auto watched = c10::DispatchKey::TESTING_ONLY_GenericMode;

thread_local OperatorWatch* current = nullptr;

void fallback(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  if (current == nullptr) return run_unwatched(op, *stack);
  current->run(op, keys, *stack);
}

}  // namespace

void run_unwatched(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  const WatchNothing unwatched;
  op.callBoxed(&stack);
}

WatchNothing::WatchNothing() : exclude_(watched) {}

void run_parts_watched(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                       torch::jit::Stack& stack) {
  const c10::DispatchKeySet below(c10::DispatchKeySet::FULL_AFTER, watched);
  op.redispatchBoxed(keys & below, &stack);
}

void enable_watching() {
  static const torch::Library* library = [] {
    auto* made = new torch::Library(torch::Library::IMPL, "_", watched, __FILE__, __LINE__);
    made->fallback(torch::CppFunction::makeFromBoxedFunction<&fallback>());
    return made;  // lives as long as the process
  }();
  static_cast<void>(library);
}

WatchOperators::WatchOperators(OperatorWatch& watch) : include_(watched) {
  enable_watching();
  current = &watch;
}

WatchOperators::~WatchOperators() { current = nullptr; }

}  // namespace kbench
