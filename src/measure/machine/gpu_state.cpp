#include "measure/machine/gpu_state.hpp"

#include <dlfcn.h>

#include <stdexcept>

#include "base/system.hpp"

namespace kbench {
namespace {

using Device = void*;
constexpr int success = 0;
enum ClockKind { multiprocessors = 1, memory = 2 };  // nvmlClockType_t
constexpr int of_the_chip = 0;                       // nvmlTemperatureSensors_t

// C functions that kbench asks of the library.
struct Library {
  int (*init)() = nullptr;
  int (*find)(const char* uuid, Device* device) = nullptr;
  int (*clock)(Device device, int kind, unsigned* mhz) = nullptr;
  int (*max_clock)(Device device, int kind, unsigned* mhz) = nullptr;
  int (*temperature)(Device device, int sensor, unsigned* celsius) = nullptr;
  int (*power)(Device device, unsigned* milliwatts) = nullptr;
  int (*reasons)(Device device, unsigned long long* bits) = nullptr;
  int (*lock)(Device device, unsigned least_mhz, unsigned most_mhz) = nullptr;
  int (*unlock)(Device device) = nullptr;
  bool is_there = false;
};

constexpr unsigned base_clock = 0xffffff01;  // NVML_CLOCK_LIMIT_ID_TDP
constexpr int no_permission = 4;

Library open_library() {
  Library library;
  const std::string chosen = variable("KBENCH_NVML");
  void* const handle =
      ::dlopen(chosen.empty() ? "libnvidia-ml.so.1" : chosen.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return library;
  bool is_whole = true;
  const auto find = [&]<class F>(F& function, const char* symbol) {
    function = reinterpret_cast<F>(::dlsym(handle, symbol));
    is_whole = is_whole && function != nullptr;
  };
  find(library.init, "nvmlInit_v2");
  find(library.find, "nvmlDeviceGetHandleByUUID");
  find(library.clock, "nvmlDeviceGetClockInfo");
  find(library.max_clock, "nvmlDeviceGetMaxClockInfo");
  find(library.temperature, "nvmlDeviceGetTemperature");
  find(library.power, "nvmlDeviceGetPowerUsage");
  find(library.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  find(library.lock, "nvmlDeviceSetGpuLockedClocks");
  find(library.unlock, "nvmlDeviceResetGpuLockedClocks");
  library.is_there = is_whole && library.init() == success;
  return library;
}

const Library& the_library() {
  static const Library library = open_library();
  return library;
}

struct Reason {
  std::uint64_t bit;
  const char* name;
};

// nvmlClocksEventReasons; that it is idle, or runs at clocks that somebody chose, slows nothing.
constexpr Reason reasons[] = {
    {0x04, "power"}, {0x08, "hardware"},        {0x10, "other devices"},
    {0x20, "heat"},  {0x40, "heat (hardware)"}, {0x80, "power brake"},
};

// Returns what `ask` writes to its argument; 0 where it fails.
template <class Ask>
std::int64_t answer_of(const Ask& ask) {
  unsigned number = 0;
  return ask(&number) == success ? static_cast<std::int64_t>(number) : 0;
}

}  // namespace

std::vector<std::string> slowed_by(std::uint64_t bits) {
  std::vector<std::string> names;
  for (const Reason& reason : reasons)
    if ((bits & reason.bit) != 0) names.emplace_back(reason.name);
  return names;
}

std::optional<GpuState> gpu_state(const std::string& uuid) {
  const Library& library = the_library();
  Device device = nullptr;
  if (!library.is_there || library.find(uuid.c_str(), &device) != success) return std::nullopt;
  GpuState state;
  const auto clock = [&](const auto& call, ClockKind kind) {
    return answer_of([&](unsigned* mhz) { return call(device, kind, mhz); });
  };
  state.clock_mhz = clock(library.clock, multiprocessors);
  state.max_clock_mhz = clock(library.max_clock, multiprocessors);
  state.memory_mhz = clock(library.clock, memory);
  state.celsius =
      answer_of([&](unsigned* number) { return library.temperature(device, of_the_chip, number); });
  state.watts = 1e-3 * static_cast<double>(answer_of(
                           [&](unsigned* number) { return library.power(device, number); }));
  unsigned long long bits = 0;
  if (library.reasons(device, &bits) == success) state.slowed_by = slowed_by(bits);
  return state;
}

std::shared_ptr<void> lock_clocks(const std::string& uuid) {
  const Library& library = the_library();
  Device device = nullptr;
  if (!library.is_there || library.find(uuid.c_str(), &device) != success)
    throw std::runtime_error("NVIDIA's management library is not there, or does not know the GPU");
  const int code = library.lock(device, base_clock, base_clock);
  if (code == no_permission) throw std::runtime_error("only an administrator may lock them");
  if (code != success) throw std::runtime_error("NVML's error " + std::to_string(code));
  return {device, [&library](Device locked) { library.unlock(locked); }};
}

}  // namespace kbench
