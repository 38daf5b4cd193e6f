// Optional arguments, lists, scratch memory, functions that return errors and truths.
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/kernel/kernel_includes.h>
#include <executorch/runtime/platform/log.h>

namespace mine {
namespace native {

using ::executorch::aten::ArrayRef;
using ::executorch::aten::optional;
using ::executorch::aten::OptionalArrayRef;
using ::executorch::aten::ScalarType;
using ::executorch::aten::SizesType;
using ::executorch::aten::Tensor;
using ::executorch::runtime::CppTypeToScalarType;
using ::executorch::runtime::Error;
using ::executorch::runtime::getTrailingDims;
using ::executorch::runtime::KernelRuntimeContext;
using ::executorch::runtime::Result;

namespace {

bool check_arguments(const Tensor& in, OptionalArrayRef<int64_t> dims, optional<ScalarType> dtype,
                     const Tensor& out) {
  ET_CHECK_OR_RETURN_FALSE(!dtype.has_value() || dtype.value() == out.scalar_type(), "out is %s",
                           ::executorch::runtime::toString(out.scalar_type()));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensors_have_same_dtype(in, out));
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensor_is_default_dim_order(in));
  ET_LOG_AND_RETURN_IF_FALSE(dims.has_value() && dims.value().size() == 1);
  ET_LOG_AND_RETURN_IF_FALSE(executorch::runtime::tensor_has_dim(in, dims.value()[0]));
  return true;
}

Error resize_out(const Tensor& in, int64_t dim, Tensor& out) {
  SizesType sizes[executorch::runtime::kTensorDimensionLimit];
  size_t count = 0;
  for (int64_t i = 0; i < in.dim(); ++i)
    if (i != dim) sizes[count++] = static_cast<SizesType>(in.size(i));
  return executorch::runtime::resize_tensor(out, {sizes, count});
}

}  // namespace

Tensor& mean_over_out(KernelRuntimeContext& ctx, const Tensor& in,
                      optional<ArrayRef<int64_t>> opt_dims, optional<ScalarType> dtype,
                      Tensor& out) {
  ET_KERNEL_CHECK(ctx, check_arguments(in, opt_dims, dtype, out), InvalidArgument, out);
  const int64_t dim = ET_NORMALIZE_IX(opt_dims.value()[0], in.dim());
  ET_KERNEL_CHECK(ctx, resize_out(in, dim, out) == Error::Ok, InvalidArgument, out);
  const size_t inner = getTrailingDims(in, dim), length = static_cast<size_t>(in.size(dim));
  Result<void*> scratch = ctx.allocate_temp(inner * sizeof(double));
  ET_KERNEL_CHECK(ctx, scratch.ok(), MemoryAllocationFailed, out);
  double* const sums = static_cast<double*>(*scratch);
  ET_SWITCH_FLOATH_TYPES(in.scalar_type(), ctx, "mean_over.out", CTYPE, [&] {
    static_assert(CppTypeToScalarType<float>::value == ScalarType::Float, "the pairs of types");
    const CTYPE* from = in.const_data_ptr<CTYPE>();
    CTYPE* to = out.mutable_data_ptr<CTYPE>();
    for (size_t outer = 0; outer < executorch::runtime::getLeadingDims(in, dim); ++outer) {
      for (size_t i = 0; i < inner; ++i) sums[i] = 0;
      for (size_t k = 0; k < length; ++k)
        for (size_t i = 0; i < inner; ++i) sums[i] += static_cast<double>(*from++);
      for (size_t i = 0; i < inner; ++i)
        *to++ = static_cast<CTYPE>(static_cast<float>(sums[i] / static_cast<double>(length)));
    }
  });
  return out;
}

}  // namespace native
}  // namespace mine
