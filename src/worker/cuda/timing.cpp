// How the samples of plain mode are taken on a GPU: by events around the calls.
#include "worker/timing.hpp"

#include <algorithm>

#include "worker/cuda/activity.hpp"
#include "worker/cuda/hardware.hpp"

namespace kbench::cuda {

using worker::Candidate;
using worker::Control;

// A candidate may have asked for lines of the cache to persist: none may, and those that do are let
// go. Devices without such lines refuse both.
void GpuHardware::let_go_of_lines() {
  driver_.set_limit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
  driver_.reset_persisting();
}

// What is written to memory leaves no line of the cache for anything else.
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

// A sample is of one call. There are none where there is no CUPTI, or it recorded nothing.
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
