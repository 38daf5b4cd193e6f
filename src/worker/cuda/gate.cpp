#include "worker/cuda/gate.hpp"

#include <chrono>

namespace kbench::cuda {
namespace {

// To queue a sample takes microseconds.
constexpr auto patience = std::chrono::milliseconds(50);

}  // namespace

Gate::Gate(const Driver& driver) : driver_(driver) {
  void* memory = nullptr;
  check(driver_, driver_.allocate_host(&memory, sizeof *word_, CU_MEMHOSTALLOC_DEVICEMAP),
        "memory that the device reads");
  word_ = static_cast<std::uint32_t*>(memory);
  *word_ = 0;
  check(driver_, driver_.host_address(&address_, memory, 0), "memory that the device reads");
  watchman_ = std::thread([this] { watch(); });
}

Gate::~Gate() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  watchman_.join();
}

void Gate::close() {
  {
    const std::lock_guard lock(mutex_);
    if (has_given_up_) return;
    ++number_;
    is_closed_ = true;
  }
  changed_.notify_one();
  check(driver_, driver_.wait_value(nullptr, address_, number_, CU_STREAM_WAIT_VALUE_GEQ),
        "the device's wait for the host");
}

void Gate::open() {
  const std::lock_guard lock(mutex_);
  is_closed_ = false;
  __atomic_store_n(word_, number_, __ATOMIC_RELEASE);
  changed_.notify_one();
}

// Opens it when nobody else does: who waits for the device inside a call would wait for ever.
void Gate::watch() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return is_closed_ || is_over_; });
    if (is_over_) return;
    const bool is_opened =
        changed_.wait_for(lock, patience, [this] { return !is_closed_ || is_over_; });
    if (is_opened) continue;
    has_given_up_ = true;
    is_closed_ = false;
    __atomic_store_n(word_, number_, __ATOMIC_RELEASE);
  }
}

}  // namespace kbench::cuda
