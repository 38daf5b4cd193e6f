// kbench-worker-cuda: kbench-worker whose candidates have their tensors on a GPU.
//   kbench-worker-cuda [DRIVER [CUPTI]]    as kbench-worker is started
//   kbench-worker-cuda --devices [DRIVER]  prints what GPUs there are, JSON
//   kbench-worker-cuda --probe [DRIVER]    whether the first one works; prints why it does not
// DRIVER is libcuda.so.1 by its name or path, CUPTI likewise libcupti.so.13.
#include <tvm/ffi/extra/c_env_api.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "worker/cuda/driver.hpp"
#include "worker/cuda/hardware.hpp"
#include "worker/cuda/kernel.hpp"
#include "worker/session.hpp"

namespace kbench::cuda {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') out += c;
  }
  return out + "\"";
}

// Returns "GPU-6d3c…", as nvidia-smi and CUDA_VISIBLE_DEVICES have it.
std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits;
  }
  return text;
}

struct Attribute {
  const char* name;
  CUdevice_attribute which;
};

constexpr Attribute attributes[] = {
    {"major", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
    {"minor", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
    {"multiprocessors", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    {"clock_khz", CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
    {"memory_clock_khz", CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
    {"memory_bus_bits", CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
    {"cache_bytes", CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
};

std::string describe(const Driver& driver, int ordinal, int driver_version) {
  CUdevice device = 0;
  check(driver, driver.device(&device, ordinal), "a device");
  std::array<char, 256> name{};
  check(driver, driver.device_name(name.data(), static_cast<int>(name.size() - 1), device),
        "a device's name");
  CUuuid uuid{};
  check(driver, driver.device_uuid(&uuid, device), "a device's identity");
  std::size_t memory = 0;
  check(driver, driver.device_memory(&memory, device), "a device's memory");
  std::string text = "{\"name\": " + quoted(name.data()) +
                     ", \"uuid\": " + quoted(uuid_text(uuid)) +
                     ", \"memory_bytes\": " + std::to_string(memory) +
                     ", \"driver_version\": " + std::to_string(driver_version);
  for (const Attribute& one : attributes) {
    int value = 0;
    check(driver, driver.device_attribute(&value, one.which, device), one.name);
    text += ", " + quoted(one.name) + ": " + std::to_string(value);
  }
  return text + "}";
}

// Prints a JSON array of the driver's devices, one object each, and returns 0; 1 where it shows
// nothing, with the reason as a JSON string.
int print_devices(const std::string& driver_library) {
  try {
    const Driver driver = open_driver(driver_library);
    const CUresult started = driver.init(0);
    if (started == CUDA_ERROR_NO_DEVICE) {
      std::printf("[]\n");
      return 0;
    }
    check(driver, started, "cuInit");
    int count = 0, version = 0;
    check(driver, driver.driver_version(&version), "the driver's version");
    check(driver, driver.device_count(&count), "the number of devices");
    std::string all;
    for (int i = 0; i < count; ++i) all += (i == 0 ? "" : ",\n ") + describe(driver, i, version);
    std::printf("[%s]\n", all.c_str());
    return 0;
  } catch (const DeviceFailure& failure) {
    std::printf("%s\n", quoted(failure.what()).c_str());
    return 1;
  }
}

// Writes to the first device and reads it back; 0 where that comes back as it was, else 1, with the
// reason printed.
int probe_device(const std::string& driver_library) try {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  constexpr unsigned char pattern = 0xa5;
  const Driver driver = open_driver(driver_library);
  use_first_device(driver);
  CUdeviceptr memory = 0;
  check(driver, driver.allocate(&memory, bytes), "its memory");
  check(driver, driver.fill(memory, pattern, bytes, nullptr), "a fill of its memory");
  std::vector<unsigned char> back(bytes);
  check(driver, driver.copy_to_host(back.data(), memory, bytes), "the way back");
  const bool is_whole =
      std::all_of(back.begin(), back.end(), [](auto one) { return one == pattern; });
  if (!is_whole) std::printf("its memory gives back what was not written\n");
  return is_whole ? 0 : 1;
} catch (const DeviceFailure& failure) {
  std::printf("%s\n", failure.what());
  return 1;
}

}  // namespace
}  // namespace kbench::cuda

// Answers a candidate's question for a stream: the default one, behind which all others' work waits
// unless it asks not to. The name is tvm-ffi's; candidates without its library find it here.
extern "C" __attribute__((visibility("default"))) TVMFFIStreamHandle TVMFFIEnvGetStream(
    std::int32_t /*device_type*/, std::int32_t /*device_id*/) {
  return nullptr;
}

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  const bool lists = first == "--devices", probes = first == "--probe";
  const int rest = lists || probes ? 2 : 1;
  const std::string driver = argc > rest ? argv[rest] : "libcuda.so.1";
  if (lists) return kbench::cuda::print_devices(driver);
  if (probes) return kbench::cuda::probe_device(driver);
  kbench::cuda::GpuHardware hardware(driver, argc > 2 ? argv[2] : "");
  const auto load = [&hardware](kbench::worker::Control& control) {
    return control.is_kernel != 0 ? kbench::cuda::load_kernel(hardware.driver(), control)
                                  : kbench::worker::load_library(control);
  };
  return kbench::worker::serve(load, {{}, &hardware});
}
