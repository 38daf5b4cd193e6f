#include "reference/torch/exact/bit_views.hpp"

#include <ATen/core/Tensor.h>

namespace kbench {

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
