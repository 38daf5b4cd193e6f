// Style of ExecuTorch's example of a custom operator: names of exec_aten, checks that abort.
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/platform/assert.h>

namespace custom {
namespace native {

using exec_aten::ScalarType;
using exec_aten::Tensor;
using executorch::runtime::KernelRuntimeContext;

namespace {

void check_preconditions(const Tensor& in, Tensor& out) {
  ET_CHECK_MSG(out.scalar_type() == ScalarType::Float, "out has the type %hhd",
               static_cast<int8_t>(out.scalar_type()));
  ET_CHECK(in.scalar_type() == ScalarType::Float);
  ET_DCHECK_MSG(in.numel() >= 0, "%d elements", static_cast<int>(in.numel()));
}

}  // namespace

Tensor& mul3_out(KernelRuntimeContext& context, const Tensor& input, Tensor& output) {
  (void)context;
  check_preconditions(input, output);
  const executorch::runtime::Error error =
      executorch::runtime::resize_tensor(output, input.sizes());
  ET_CHECK_MSG(error == executorch::runtime::Error::Ok, "output cannot be resized");
  const float* const from = input.const_data_ptr<float>();
  float* const to = output.mutable_data_ptr<float>();
  for (size_t i = 0; i < static_cast<size_t>(input.numel()); ++i) to[i] = 3 * from[i];
  return output;
}

}  // namespace native
}  // namespace custom
