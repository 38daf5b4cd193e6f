// A stand-in for NVIDIA's driver: the entry points that kbench calls, without a GPU (fake.h).
#include <cuda.h>
#undef cuMemAlloc
#undef cuMemHostGetDevicePointer
#undef cuMemcpyHtoD
#undef cuMemcpyDtoH
#undef cuMemcpyDtoD
#undef cuStreamWaitValue32
#undef cuEventElapsedTime
#undef cuDeviceTotalMem
#undef cuDeviceGetUuid

#include <cupti.h>
#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "../emulator/entry.h"
#include "fake.h"

namespace {

namespace fs = std::filesystem;

constexpr double bytes_per_ns = 1000;  // bandwidth of memory: 1 TB/s
constexpr std::uint64_t all_memory = std::uint64_t{256} << 20;
constexpr int cache_bytes = 1 << 20;
constexpr int most_shared = 227 << 10;
constexpr unsigned most_threads = 1024;
constexpr std::uint64_t first_ns = 1'000'000'000;  // CUPTI's time where streams' clocks begin

struct Event {
  double ns = -1;  // time of its stream's clock; -1: not yet recorded
};

double now_ns() {
  static const auto begin = std::chrono::steady_clock::now();
  const std::chrono::duration<double, std::nano> since = std::chrono::steady_clock::now() - begin;
  return since.count();
}

// Work that is queued, and the clock: never before the moment when the work was queued, or when
// that came which it waits for.
struct Stream {
  std::deque<std::function<bool()>> work;  // false: not yet
  double ns = 0;
};

struct State {
  std::recursive_mutex mutex;  // work that is done under it may break the device
  std::map<int, Stream> streams;
  std::map<CUdeviceptr, std::size_t> memory;
  std::uint64_t free_memory = all_memory;
  CUresult broken = CUDA_SUCCESS;
  CUresult next_break = CUDA_SUCCESS;
  std::string log;
  std::size_t launches = 0;
  bool records = false;  // CUPTI records activity
  std::vector<CUpti_ActivityKernel9> activity;
  CUpti_BuffersCallbackRequestFunc give_buffer = nullptr;
  CUpti_BuffersCallbackCompleteFunc take_buffer = nullptr;
};

State& state() {
  static State* const one = new State;  // outlives everybody
  return *one;
}

void note(const char* word) {
  std::string& log = state().log;
  if (!log.empty()) log += ' ';
  log += word;
}

// Returns what kbench shows the process: "GPU-…", or "".
std::string visible_device() {
  const char* const value = std::getenv("CUDA_VISIBLE_DEVICES");
  return value == nullptr ? "" : value;
}

fs::path own_folder() {
  Dl_info where{};
  ::dladdr(reinterpret_cast<void*>(&own_folder), &where);
  return fs::path(where.dli_fname).parent_path();
}

bool is_probe() {
  std::ifstream words("/proc/self/cmdline");
  for (std::string word; std::getline(words, word, '\0');)
    if (word == "--probe") return true;
  return false;
}

// Tells whether [address, address + bytes) lies in memory that was given out.
bool is_ours(CUdeviceptr address, std::size_t bytes) {
  const auto& memory = state().memory;
  auto after = memory.upper_bound(address);
  if (after == memory.begin()) return false;
  const auto& [begin, size] = *std::prev(after);
  return address + bytes <= begin + size;
}

// Tells whether memory of the host was not given out here: a framework for the CPU, which takes the
// place of one for the device, has allocated it.
bool is_foreign(CUdeviceptr address, std::size_t bytes) {
  const auto& memory = state().memory;
  const auto after = memory.lower_bound(address + bytes);
  return after == memory.begin() || std::prev(after)->first + std::prev(after)->second <= address;
}

// Does what is queued on a stream, up to what must wait for the host. True: nothing is left.
bool advance(Stream& stream) {
  while (!stream.work.empty()) {
    if (!stream.work.front()()) return false;
    stream.work.pop_front();
  }
  return true;
}

CUresult wait_for_all() {
  for (;;) {
    {
      const std::lock_guard lock(state().mutex);
      bool is_over = true;
      for (auto& [number, stream] : state().streams) is_over &= advance(stream);
      if (state().next_break != CUDA_SUCCESS) state().broken = state().next_break;
      if (is_over) return state().broken;
    }
    timespec moment{0, 100'000};
    ::nanosleep(&moment, nullptr);
  }
}

void come_to(double& clock, double moment) { clock = std::max(clock, moment); }

CUresult queue(int number, std::function<bool()> work) {
  const std::lock_guard lock(state().mutex);
  if (state().broken != CUDA_SUCCESS) return state().broken;
  Stream& stream = state().streams[number];
  stream.work.push_back([&stream, work = std::move(work), queued = now_ns()] {
    come_to(stream.ns, queued);
    return work();
  });
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

void fake_launch(void (*work)(void*), void* argument, double nanoseconds, int stream) {
  ++state().launches;
  queue(stream, [=] {
    note("work");
    const double begin = now_ns();
    if (work != nullptr) work(argument);
    const double taken = now_ns() - begin;
    double& clock = state().streams[stream].ns;
    CUpti_ActivityKernel9 record{};
    record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    record.start = first_ns + static_cast<std::uint64_t>(clock);
    clock += nanoseconds < 0 ? taken : nanoseconds;
    record.end = first_ns + static_cast<std::uint64_t>(clock);
    if (state().records) state().activity.push_back(record);
    return true;
  });
}
int fake_synchronize() { return wait_for_all(); }
void fake_break(int error) { state().next_break = static_cast<CUresult>(error); }
void fake_set_free_memory(std::uint64_t bytes) { state().free_memory = bytes; }
const char* fake_log() { return state().log.c_str(); }
void fake_reset() {
  const std::lock_guard lock(state().mutex);
  state().streams.clear();
  state().broken = state().next_break = CUDA_SUCCESS;
  state().free_memory = all_memory;
  state().log.clear();
}

// The file answers-UUID beside this library says how many calls of a probe are still answered.
CUresult cuInit(unsigned) {
  if (std::getenv("FAKE_CUDA_EMPTY")) return CUDA_ERROR_NO_DEVICE;
  const fs::path file = own_folder() / ("answers-" + visible_device());
  if (!is_probe() || !fs::exists(file)) return CUDA_SUCCESS;
  int left = 0;
  std::ifstream(file) >> left;
  std::ofstream(file) << left - 1;
  return left > 0 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}
CUresult cuDriverGetVersion(int* version) { return *version = 13050, CUDA_SUCCESS; }
// The file `devices` beside this library says how many, else one. Its second number ends the UUIDs.
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  if (visible_device().empty()) std::ifstream(own_folder() / "devices") >> *count;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) { return *device = ordinal, CUDA_SUCCESS; }
CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  const std::string text = "Fake \"GPU\" " + std::to_string(device + 1);
  std::strncpy(name, text.c_str(), static_cast<std::size_t>(size));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  int count = 1, last = 15;
  std::ifstream(own_folder() / "devices") >> count >> last;
  for (int i = 0; i < 15; ++i) uuid->bytes[i] = static_cast<char>(i == 0 ? device : i);
  return uuid->bytes[15] = static_cast<char>(last), CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  return *bytes = all_memory, CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
  *value = which == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE              ? cache_bytes
           : which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
                                                                   : 0;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  return *context = nullptr, CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE && value == 0) note("limit");
  return CUDA_SUCCESS;
}
CUresult cuCtxResetPersistingL2Cache() { return note("reset"), CUDA_SUCCESS; }
CUresult cuCtxSynchronize() {
  const CUresult result = wait_for_all();
  return note("synchronize"), result;
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == CUDA_ERROR_NO_DEVICE     ? "CUDA_ERROR_NO_DEVICE"
                                              : "CUDA_ERROR_OTHER";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
                                              : "some text";
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  if (state().broken != CUDA_SUCCESS) return state().broken;
  if (bytes > state().free_memory) return CUDA_ERROR_OUT_OF_MEMORY;
  state().free_memory -= bytes;
  void* const memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  std::memset(memory, 0x5a, bytes);
  *address = reinterpret_cast<CUdeviceptr>(memory);
  state().memory[*address] = bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return *memory = std::calloc(1, bytes), CUDA_SUCCESS;
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* memory, unsigned) {
  return *address = reinterpret_cast<CUdeviceptr>(memory), CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, std::size_t bytes) {
  if (const CUresult result = wait_for_all(); result != CUDA_SUCCESS) return result;
  if (!is_ours(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  if (const CUresult result = wait_for_all(); result != CUDA_SUCCESS) return result;
  if (!is_ours(from, bytes) && !is_foreign(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  if (const CUresult result = wait_for_all(); result != CUDA_SUCCESS) return result;
  if (!is_ours(to, bytes) || !is_ours(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
  if (!is_ours(to, bytes)) return CUDA_ERROR_INVALID_VALUE;
  return queue(0, [=] {
    note("fill");
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    state().streams[0].ns += static_cast<double>(bytes) / bytes_per_ns;
    return true;
  });
}
// A framework for the CPU, in a process of Python's, does without the device what is to be timed,
// while that is held back: events have the time of the host then.
CUresult cuStreamWaitValue32_v2(CUstream, CUdeviceptr address, cuuint32_t value, unsigned) {
  static const bool is_python = ::dlsym(RTLD_DEFAULT, "Py_IsInitialized") != nullptr;
  return queue(0, [=, before = state().launches] {
    const auto* const word = reinterpret_cast<const std::uint32_t*>(address);
    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value) return false;
    note("opened");
    if (!is_python || state().launches > before) come_to(state().streams[0].ns, now_ns());
    return true;
  });
}
CUresult cuProfilerStart() { return note("profiler"), CUDA_SUCCESS; }
CUresult cuProfilerStop() { return note("no_profiler"), CUDA_SUCCESS; }
CUresult cuEventCreate(CUevent* event, unsigned) {
  return *event = reinterpret_cast<CUevent>(new Event), CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream) {
  return queue(0, [=] {
    note("event");
    reinterpret_cast<Event*>(event)->ns = state().streams[0].ns;
    return true;
  });
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  const double ns = reinterpret_cast<Event*>(end)->ns - reinterpret_cast<Event*>(begin)->ns;
  return *milliseconds = static_cast<float>(ns * 1e-6), CUDA_SUCCESS;
}

// The image is a library of the emulator, and its table of sections is its end.
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  const auto& header = *static_cast<const Elf64_Ehdr*>(image);
  const std::size_t bytes = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  const fs::path file = fs::temp_directory_path() / "kernel.so";
  std::ofstream(file, std::ios::binary)
      .write(static_cast<const char*>(image), static_cast<std::streamsize>(bytes));
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  fs::remove(file);
  *module = static_cast<CUmodule>(library);
  return library == nullptr ? CUDA_ERROR_INVALID_IMAGE : CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  *function = static_cast<CUfunction>(::dlsym(module, name));
  return *function == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int value) {
  note("attribute");
  return value > most_shared ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset,
                            std::size_t* bytes) {
  const auto& entry = *reinterpret_cast<const emulation::Entry*>(function);
  if (index >= entry.count) return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  *bytes = entry.sizes[index];
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void** parameters, void**) {
  const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
  if (block_x * block_y * block_z > most_threads) return CUDA_ERROR_INVALID_VALUE;
  reinterpret_cast<const emulation::Entry*>(function)->launch(grid, block, shared, stream,
                                                              parameters);
  return state().broken;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc give,
                                           CUpti_BuffersCallbackCompleteFunc take) {
  state().give_buffer = give;
  state().take_buffer = take;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind) {
  state().records = true;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind) {
  state().records = false;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0, most = 0;
  state().give_buffer(&buffer, &size, &most);
  const std::size_t bytes = state().activity.size() * sizeof(CUpti_ActivityKernel9);
  std::memcpy(buffer, state().activity.data(), bytes);
  state().activity.clear();
  state().take_buffer(nullptr, 0, buffer, size, bytes);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t size,
                                       CUpti_Activity** record) {
  std::uint8_t* next =
      *record == nullptr ? buffer
                         : reinterpret_cast<std::uint8_t*>(*record) + sizeof(CUpti_ActivityKernel9);
  if (next >= buffer + size) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
}
