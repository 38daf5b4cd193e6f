// SPDX-License-Identifier: Apache-2.0
// Names by which ExecuTorch's kernels call the contents of kbench_kernel.h, for sources that were
// written for ExecuTorch and are built without it, and its macros. Include kbench_executorch.h.
// Source of the names: ExecuTorch, runtime/kernel/kernel_includes.h and what it includes.
#ifndef KBENCH_EXECUTORCH_NAMES_H_
#define KBENCH_EXECUTORCH_NAMES_H_

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "kbench_kernel.h"

#if !KBENCH_WITH_EXECUTORCH

namespace kbench::kernels {

// Writes the macros' messages to stderr.
__attribute__((format(printf, 4, 5))) inline void log_line(const char* level, const char* file,
                                                           int line, const char* format, ...) {
  std::fprintf(stderr, "%s %s:%d: ", level, file, line);
  va_list values;
  va_start(values, format);
  std::vfprintf(stderr, format, values);
  va_end(values);
  std::fputc('\n', stderr);
}

}  // namespace kbench::kernels

namespace executorch::aten {
using kbench::kernels::ArrayRef;
using kbench::kernels::BFloat16;
using kbench::kernels::Device;
using kbench::kernels::DimOrderType;
using kbench::kernels::Half;
using kbench::kernels::MemoryFormat;
using kbench::kernels::Scalar;
using kbench::kernels::ScalarType;
using kbench::kernels::SizesType;
using kbench::kernels::StridesType;
using kbench::kernels::Tensor;
using kbench::kernels::TensorImpl;
using kbench::kernels::TensorList;
using std::nullopt;
using std::nullopt_t;
using std::optional;
using std::string_view;
using IntArrayRef = ArrayRef<int64_t>;
template <typename T>
using OptionalArrayRef = std::optional<ArrayRef<T>>;
using OptionalIntArrayRef = OptionalArrayRef<int64_t>;
}  // namespace executorch::aten

namespace exec_aten = executorch::aten;

namespace executorch::runtime {
using kbench::kernels::ArrayRef;
using kbench::kernels::Error;
using kbench::kernels::KernelRuntimeContext;
using kbench::kernels::resize_tensor;
using kbench::kernels::Result;
using kbench::kernels::Span;
constexpr size_t kTensorDimensionLimit = kbench::kernels::kMaxDims;
}  // namespace executorch::runtime

namespace torch::executor {
using namespace ::executorch::aten;
using namespace ::executorch::runtime;
using RuntimeContext = KernelRuntimeContext;
}  // namespace torch::executor

#define ET_LOG(level, format, ...) \
  ::kbench::kernels::log_line(#level, __FILE__, __LINE__, format, ##__VA_ARGS__)

#define ET_CHECK_MSG(condition, format, ...)                                   \
  do {                                                                         \
    if (!(condition)) {                                                        \
      ET_LOG(Fatal, "check of %s failed: " format, #condition, ##__VA_ARGS__); \
      std::abort();                                                            \
    }                                                                          \
  } while (false)
#define ET_CHECK(condition) ET_CHECK_MSG(condition, "no more is known")
#ifdef NDEBUG
#define ET_DCHECK_MSG(condition, ...) static_cast<void>(0)
#define ET_DCHECK(condition) static_cast<void>(0)
#define ET_DEBUG_ONLY [[maybe_unused]]
#else
#define ET_DCHECK_MSG ET_CHECK_MSG
#define ET_DCHECK ET_CHECK
#define ET_DEBUG_ONLY
#endif

#define ET_CHECK_OR_RETURN_FALSE(condition, format, ...)                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      ET_LOG(Error, "check of %s failed: " format, #condition, ##__VA_ARGS__); \
      return false;                                                            \
    }                                                                          \
  } while (false)
#define ET_LOG_AND_RETURN_IF_FALSE(condition) ET_CHECK_OR_RETURN_FALSE(condition, "returns false")
#define ET_LOG_MSG_AND_RETURN_IF_FALSE ET_CHECK_OR_RETURN_FALSE
#define ET_CHECK_OR_RETURN_ERROR(condition, error, format, ...)                \
  do {                                                                         \
    if (!(condition)) {                                                        \
      ET_LOG(Error, "check of %s failed: " format, #condition, ##__VA_ARGS__); \
      return ::executorch::runtime::Error::error;                              \
    }                                                                          \
  } while (false)

// The context gets the error, and the failed condition as its text.
#define ET_KERNEL_CHECK(context, condition, error, ...)                                      \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      (context).fail(::executorch::runtime::Error::error, "check of " #condition " failed"); \
      return __VA_ARGS__;                                                                    \
    }                                                                                        \
  } while (false)
#define ET_KERNEL_CHECK_MSG(context, condition, error, result, format, ...)                  \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      ET_LOG(Error, "check of %s failed: " format, #condition, ##__VA_ARGS__);               \
      (context).fail(::executorch::runtime::Error::error, "check of " #condition " failed"); \
      return result;                                                                         \
    }                                                                                        \
  } while (false)

#define ET_UNUSED [[maybe_unused]]
#define ET_NODISCARD [[nodiscard]]
#define ET_NORETURN [[noreturn]]
#define ET_FALLTHROUGH [[fallthrough]]
#define ET_INLINE __attribute__((always_inline)) inline
#define ET_NOINLINE __attribute__((noinline))
#define ET_RESTRICT __restrict__
#define ET_LIKELY(expression) (__builtin_expect(static_cast<bool>(expression), 1))
#define ET_UNLIKELY(expression) (__builtin_expect(static_cast<bool>(expression), 0))
#define ET_UNREACHABLE() __builtin_unreachable()
#define ET_MIN2(a, b) ((b) < (a) ? (b) : (a))
#define ET_NORMALIZE_IX(index, bound) ((index) < 0 ? (index) + (bound) : (index))

#endif  // !KBENCH_WITH_EXECUTORCH

#endif  // KBENCH_EXECUTORCH_NAMES_H_
