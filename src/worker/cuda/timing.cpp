// Samples of plain mode on a GPU: by events around the calls, beside the device's own record of
// what it did, and when: CUPTI's activity records ("CUPTI" 13, Activity API).
#include <cupti.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>

#include "worker/candidate.hpp"
#include "worker/cuda/hardware.hpp"

namespace kbench::cuda {
namespace {

// Recorder of the device's activity, one a process: CUPTI's callbacks know of no other.
class Activity {
 public:
  // Opens `library`, libcupti.so.13 or a path. Null where it cannot be, or is refused, which is no
  // fault of anybody's.
  static Activity* open(const std::string& library);

  // All that the device begins between begin() and end() is recorded. end() wants the device to
  // have ended it: nanoseconds from the begin of the first to the end of the last kernel, copy or
  // fill; nothing where there was none.
  bool begin();
  std::optional<double> end();

 private:
  struct Calls {
    decltype(&::cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
    decltype(&::cuptiActivityEnable) enable = nullptr;
    decltype(&::cuptiActivityDisable) disable = nullptr;
    decltype(&::cuptiActivityFlushAll) flush = nullptr;
    decltype(&::cuptiActivityGetNextRecord) next = nullptr;
  };
  Activity() = default;
  static void take(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                   std::size_t valid);
  void add(const CUpti_Activity& record);

  Calls calls_;
  std::uint64_t first_ = 0, last_ = 0;  // nanoseconds of the device's clock
};

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;
constexpr std::size_t record_alignment = 8;  // ACTIVITY_RECORD_ALIGNMENT

// Kernels of all streams are recorded without putting one after the other for the sake of it.
constexpr std::array<CUpti_ActivityKind, 3> kinds = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

Activity* only = nullptr;  // take() finds it here

void give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(record_alignment, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *most_records = 0;  // 0: all that fit
}

struct Span {
  std::uint64_t begin = 0, end = 0;
};

// Reads the records by the layout of CUDA 12's, which later versions only add to.
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
  if (span.end == 0 || span.end < span.begin) return;  // the record has no times
  first_ = first_ == 0 ? span.begin : std::min(first_, span.begin);
  last_ = std::max(last_, span.end);
}

}  // namespace

using worker::Candidate;
using worker::Control;

// Lets persisting lines of the cache go, and allows no others: a candidate may have asked for them.
// Devices without such lines refuse both.
void GpuHardware::let_go_of_lines() {
  driver_.set_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
  driver_.reset_persisting();
}

// Writes to memory, which leaves no line of the cache for anything else.
void GpuHardware::sweep() {
  check(driver_, driver_.fill(sweep_, 0, sweep_bytes_, nullptr), "to sweep the cache");
}

double GpuHardware::elapsed_ns() const {
  float milliseconds = 0;
  check(driver_, driver_.elapsed_ms(&milliseconds, begin_, end_), "the time between two events");
  return static_cast<double>(milliseconds) * 1e6;
}

template <class Call>
std::optional<double> GpuHardware::take_sample(const Call& call) {
  const Epochs& epochs = control_->epochs;
  if (epochs.cold != 0) let_go_of_lines();
  if (epochs.at_once == 0) gate_->close();
  if (epochs.cold != 0) sweep();
  check(driver_, driver_.record_event(begin_, nullptr), "an event");
  bool good = true;
  for (std::uint64_t i = 0; good && i < epochs.calls; ++i) good = call();
  check(driver_, driver_.record_event(end_, nullptr), "an event");
  if (epochs.at_once == 0) gate_->open();
  check(driver_, driver_.synchronize(), "the end of the calls");
  return good ? std::optional(elapsed_ns()) : std::nullopt;
}

template <class Call>
bool GpuHardware::take_samples(const Call& call) {
  const Epochs epochs = control_->epochs;
  const std::uint32_t samples = std::min<std::uint32_t>(epochs.samples, worker::max_samples);
  control_->sample_count = 0;
  bool good = true;
  const bool is_whole = attempt([&] {
    for (std::uint32_t i = 0; good && i < epochs.warmups; ++i) good = call();
    check(driver_, driver_.synchronize(), "the end of the first calls");
    for (std::uint32_t i = 0; good && i < samples; ++i) {
      const auto ns = take_sample(call);
      good = ns.has_value();
      if (good) control_->samples_ns[control_->sample_count++] = *ns;
    }
  });
  return good && is_whole;
}

// Takes samples of one call each; none where there is no CUPTI, or it recorded nothing.
bool GpuHardware::record_activity(Candidate& candidate) {
  Control& control = *control_;
  control.sample_count = 0;
  Activity* const activity = cupti_.empty() ? nullptr : Activity::open(cupti_);
  if (activity == nullptr) return true;
  const std::uint32_t samples =
      std::min<std::uint32_t>(control.epochs.samples, worker::max_samples);
  bool good = true;
  const bool is_whole = attempt([&] {
    for (std::uint32_t i = 0; good && i < samples && activity->begin(); ++i) {
      good = worker::call_once(control, candidate);
      check(driver_, driver_.synchronize(), "the end of the call");
      const auto ns = activity->end();
      if (!ns) return;
      control.samples_ns[control.sample_count++] = *ns;
    }
  });
  return good && is_whole;
}

bool GpuHardware::run_epochs(Control& control, Candidate& candidate) {
  switch (control.epochs.kind) {
    case CallKind::control:
      return take_samples([this] {
        sweep();
        return true;
      });
    case CallKind::null:
      return take_samples([&] {
        ++control.calls;
        return candidate.call_null();
      });
    case CallKind::candidate: {
      const NvtxRange range(nvtx_);
      return take_samples([&] {
        candidate.move_tensors(next_copy());
        return worker::call_once(control, candidate);
      });
    }
    case CallKind::activity:
      return record_activity(candidate);
  }
  return false;
}

}  // namespace kbench::cuda
