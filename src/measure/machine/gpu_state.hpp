// Speed of a GPU and what holds it back, by NVIDIA's management library ("NVML" API reference),
// which is opened when it is asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kbench {

struct GpuState {
  std::int64_t clock_mhz = 0;      // clock of the multiprocessors
  std::int64_t max_clock_mhz = 0;  // limit of that clock
  std::int64_t memory_mhz = 0;
  std::int64_t celsius = 0;
  double watts = 0;
  std::vector<std::string> slowed_by;  // "power", "heat", …; none: nothing holds the clocks back

  friend bool operator==(const GpuState&, const GpuState&) = default;
};

// Reads the state of the device with that identity ("GPU-…"). Nothing where there is no library, or
// it does not know the device; what it does not tell is 0.
std::optional<GpuState> gpu_state(const std::string& uuid);

// Holds the clock of its multiprocessors at the device's base clock, which it keeps under any load,
// until the last copy goes. Throws std::runtime_error: why that cannot be.
std::shared_ptr<void> lock_clocks(const std::string& uuid);

// Names of the reasons that are set in NVML's bits.
std::vector<std::string> slowed_by(std::uint64_t reasons);

}  // namespace kbench
