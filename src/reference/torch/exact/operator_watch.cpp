#include "reference/torch/exact/operator_watch.hpp"

#include <ATen/core/Tensor.h>
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

bool has_memory(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() && value.toTensor().has_storage();
}

bool is_bit_view(const c10::OperatorHandle& op) {
  return op.schema().name() == "aten::view" && op.schema().overload_name() == "dtype";
}

void BitViews::run(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack& stack) {
  if (is_bit_view(op)) {
    const auto to = static_cast<c10::ScalarType>(stack.back().toInt());
    seen_.push_back({stack[stack.size() - 2].toTensor().scalar_type(), to});
  }
  run_unwatched(op, stack);
}

}  // namespace kbench
