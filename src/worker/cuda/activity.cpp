#include "worker/cuda/activity.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace kbench::cuda {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::size_t record_alignment = 8;  // ACTIVITY_RECORD_ALIGNMENT

// Kernels of all streams, not one after the other for the sake of their records.
constexpr std::array<CUpti_ActivityKind, 3> kinds = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

Activity* only = nullptr;  // for take()

void give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(record_alignment, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;  // as many as there is room for
}

struct Span {
  std::uint64_t begin = 0, end = 0;
};

// Later versions of these records only add to them: those of CUDA 12.
Span span_of(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel9&>(record);
      return {kernel.start, kernel.end};
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy5&>(record);
      return {copy.start, copy.end};
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& fill = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
      return {fill.start, fill.end};
    }
    default:
      return {};
  }
}

}  // namespace

Activity* Activity::open(const std::string& library) {
  if (only != nullptr) return only;
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return nullptr;
  static Activity activity;
  bool is_whole = true;
  const auto find = [&]<class F>(F& function, const char* symbol) {
    function = reinterpret_cast<F>(::dlsym(handle, symbol));
    is_whole = is_whole && function != nullptr;
  };
  find(activity.calls_.register_callbacks, "cuptiActivityRegisterCallbacks");
  find(activity.calls_.enable, "cuptiActivityEnable");
  find(activity.calls_.disable, "cuptiActivityDisable");
  find(activity.calls_.flush, "cuptiActivityFlushAll");
  find(activity.calls_.next, "cuptiActivityGetNextRecord");
  if (!is_whole) return nullptr;
  if (activity.calls_.register_callbacks(&give_buffer, &Activity::take) != CUPTI_SUCCESS)
    return nullptr;
  return only = &activity;
}

bool Activity::begin() {
  first_ = last_ = 0;
  return std::all_of(kinds.begin(), kinds.end(), [this](CUpti_ActivityKind kind) {
    return calls_.enable(kind) == CUPTI_SUCCESS;
  });
}

std::optional<double> Activity::end() {
  calls_.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  for (const CUpti_ActivityKind kind : kinds) calls_.disable(kind);
  if (last_ <= first_) return std::nullopt;
  return static_cast<double>(last_ - first_);
}

void Activity::take(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                    std::size_t /*size*/, std::size_t valid) {
  CUpti_Activity* record = nullptr;
  while (valid > 0 && only->calls_.next(buffer, valid, &record) == CUPTI_SUCCESS)
    only->add(*record);
  std::free(buffer);
}

void Activity::add(const CUpti_Activity& record) {
  const Span span = span_of(record);
  if (span.end == 0 || span.end < span.begin) return;  // it has no times
  first_ = first_ == 0 ? span.begin : std::min(first_, span.begin);
  last_ = std::max(last_, span.end);
}

}  // namespace kbench::cuda
