// NVIDIA's GPUs on this machine, as kbench-worker-cuda --devices lists them: the judge itself never
// loads a driver.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "exec/candidate_process.hpp"

namespace kbench {

struct Gpu {
  std::string name;          // "NVIDIA H100 80GB HBM3"
  std::string uuid;          // "GPU-…"
  std::string architecture;  // "sm_90"
  std::string driver;        // "13.5": the newest CUDA that its driver knows
  std::int64_t memory_bytes = 0;
  std::int64_t cache_bytes = 0;  // size of its L2 cache
  std::int64_t multiprocessors = 0;
  double clock_hz = 0;          // maximum
  double bytes_per_second = 0;  // peak of its memory, by clock and width
};

struct Gpus {
  std::vector<Gpu> all;
  std::string driver;   // libcuda.so.1, or the path in KBENCH_CUDA_DRIVER
  std::string problem;  // reason that there are none
};

// `worker` is kbench-worker-cuda. Listing takes as long as the driver takes to start.
Gpus find_gpus(const std::filesystem::path& worker);
// Reads what it prints.
Gpus read_gpus(const std::string& text);

// The library that records when kernels begin and end. "" where there is none: the times of a GPU
// are then those of its events alone.
struct Cupti {
  std::string library;
  std::string problem = {};  // fault of KBENCH_CUPTI; "": none
};
Cupti find_cupti();

// Tells whether nothing computes there: its driver is one for tests, and its memory is the host's.
bool is_stand_in(const Gpu& gpu);

GpuPlan gpu_plan(const Gpu& gpu, const std::string& driver, const std::string& cupti);

// Number of copies of tensors of so many bytes that take twice the device's L2 cache, in a quarter
// of its memory at most: a call finds in the cache nothing of the one that had the same copy.
std::uint32_t rotating_copies(const Gpu& gpu, std::uint64_t tensor_bytes);

// Asks of it the little that kbench-worker-cuda --probe does: "", or what it says instead.
std::string probe_gpu(const std::filesystem::path& worker, const Gpu& gpu,
                      const std::string& driver);

// Holds a GPU for this process alone, until it is destroyed: of two that time on one device neither
// sees its own time.
class GpuLock {
 public:
  const Gpu& gpu() const { return *gpu_; }

 private:
  friend std::vector<GpuLock> lock_gpus(const std::vector<Gpu>& gpus, std::size_t most,
                                        const std::function<bool()>& goes_on);
  GpuLock(const Gpu& gpu, Fd lock) : gpu_(&gpu), lock_(std::move(lock)) {}
  const Gpu* gpu_ = nullptr;
  Fd lock_;
};

// Locks free GPUs, at most so many. Waits for a free one as long as `goes_on` says so, which is
// asked now and then; else there are none.
std::vector<GpuLock> lock_gpus(const std::vector<Gpu>& gpus, std::size_t most,
                               const std::function<bool()>& goes_on);

}  // namespace kbench
