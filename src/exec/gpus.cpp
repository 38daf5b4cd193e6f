#include "exec/gpus.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "base/installation.hpp"
#include "base/json.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "sandbox/process.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr auto probe_start_limit = std::chrono::seconds(60);
constexpr std::size_t most_text = 1 << 20;
constexpr const char* usual_driver = "libcuda.so.1";

std::string text_of(const json::Value& value, std::string_view name) {
  const json::Value* const member = value.find(name);
  return member != nullptr && member->is_string() ? std::string(member->text) : "";
}

std::int64_t number_of(const json::Value& value, std::string_view name) {
  const json::Value* const member = value.find(name);
  if (member == nullptr || member->kind != json::Kind::integer) return 0;
  return std::atoll(std::string(member->text).c_str());
}

Gpu gpu_of(const json::Value& value) {
  Gpu gpu;
  gpu.name = text_of(value, "name");
  gpu.uuid = text_of(value, "uuid");
  gpu.architecture = fmt::format("sm_{}{}", number_of(value, "major"), number_of(value, "minor"));
  const std::int64_t driver = number_of(value, "driver_version");  // 13050 is 13.5
  gpu.driver = fmt::format("{}.{}", driver / 1000, driver % 1000 / 10);
  gpu.memory_bytes = number_of(value, "memory_bytes");
  gpu.cache_bytes = number_of(value, "cache_bytes");
  gpu.multiprocessors = number_of(value, "multiprocessors");
  gpu.clock_hz = 1e3 * static_cast<double>(number_of(value, "clock_khz"));
  // Memory moves two bits a clock and wire.
  gpu.bytes_per_second = 2 * 1e3 * static_cast<double>(number_of(value, "memory_clock_khz")) *
                         static_cast<double>(number_of(value, "memory_bus_bits")) / 8;
  return gpu;
}

Fd lock_file(const Gpu& gpu) {
  // The path is the same for everybody, whatever their TMPDIR.
  const fs::path path = "/tmp/kbench-" + gpu.uuid + ".lock";
  const auto open = [&path](int flags) {
    return Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | flags, 0644));
  };
  // Reading is enough for a lock, and is all that others may do with the file of one user.
  Fd file = open(0);
  if (!file && errno == ENOENT) file = open(O_CREAT | O_EXCL);
  if (!file && errno == EEXIST) file = open(0);  // somebody was faster
  if (!file) fail_by_errno(path);
  return file;
}

}  // namespace

Gpus read_gpus(const std::string& text) {
  Gpus gpus;
  Diagnostics problems;
  json::Memory memory;
  const Source source{"devices", text};
  const json::Value value = json::parse(source, 0, source.text.size(), memory, problems);
  if (problems.errors() > 0) {
    gpus.problem = "kbench-worker-cuda --devices says: " + text.substr(0, 200);
  } else if (value.is_string()) {
    gpus.problem = value.text;
  } else {
    for (const json::Value& one : value.items) gpus.all.push_back(gpu_of(one));
    if (gpus.all.empty()) gpus.problem = "no CUDA device";
  }
  return gpus;
}

Gpus find_gpus(const fs::path& worker) {
  Gpus none;
  none.problem = "no CUDA device";
  const std::string chosen = variable("KBENCH_CUDA_DRIVER");
  std::error_code error;
  if (chosen.empty() && !fs::exists("/dev/nvidiactl", error)) return none;
  if (!fs::exists(worker, error)) {
    none.problem = "this kbench was built without kbench-worker-cuda";
    return none;
  }
  const std::string driver = chosen.empty() ? usual_driver : chosen;
  ProcessPlan plan;
  plan.argv = {worker.string(), "--devices", driver};
  plan.environment = {"PATH=" + search_path(), "LC_ALL=C"};
  // An empty value hides all devices, so it is passed on, too.
  if (const char* const shown = std::getenv("CUDA_VISIBLE_DEVICES"); shown != nullptr)
    plan.environment.push_back(std::string("CUDA_VISIBLE_DEVICES=") + shown);
  const RunResult result = run_process(plan, probe_start_limit, most_text);
  Gpus gpus = read_gpus(result.timed_out ? "\"the driver does not start\"" : result.output);
  gpus.driver = driver;
  return gpus;
}

std::string probe_gpu(const fs::path& worker, const Gpu& gpu, const std::string& driver) {
  ProcessPlan plan;
  plan.argv = {worker.string(), "--probe", driver};
  plan.environment = {"PATH=" + search_path(), "LC_ALL=C", "CUDA_VISIBLE_DEVICES=" + gpu.uuid};
  const RunResult result = run_process(plan, probe_start_limit, most_text);
  if (result.timed_out) return "it says nothing for a minute";
  if (result.status.exited && result.status.code == 0) return "";
  return result.output.empty() ? "kbench-worker-cuda " + describe(result.status)
                               : std::string(trim(result.output));
}

// Looks into a CUDA Toolkit, and into the plugins installed beside kbench. KBENCH_CUPTI names
// another: a file, or a name without folders that dlopen finds.
Cupti find_cupti() {
  std::error_code gone;
  if (const std::string chosen = variable("KBENCH_CUPTI"); !chosen.empty()) {
    if (chosen.find('/') == chosen.npos || fs::exists(chosen, gone)) return {chosen};
    return {"", fmt::format("KBENCH_CUPTI is \"{}\", and there is no file of that name", chosen)};
  }
  for (const fs::path& folder :
       {fs::path("/usr/local/cuda/extras/CUPTI/lib64"), fs::path("/usr/local/cuda/lib64"),
        installation().plugins / "cuda" / "lib"}) {
    for (const auto& entry : fs::directory_iterator(folder, gone))
      if (entry.path().filename().string().starts_with("libcupti.so."))
        return {fs::weakly_canonical(entry.path()).string()};
  }
  return {};
}

GpuPlan gpu_plan(const Gpu& gpu, const std::string& driver, const std::string& cupti) {
  GpuPlan plan{driver, cupti, gpu.uuid};
  if (is_stand_in(gpu)) plan.torch_device = "cpu";
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/dev", gone)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("nvidia") && !entry.is_directory(gone))
      plan.devices.push_back(entry.path());
  }
  for (const char* const folder : {"/proc/driver/nvidia", "/sys/devices/system"})
    plan.readable.emplace_back(folder);
  for (const std::string& library : {driver, plan.cupti})
    if (library.find('/') != library.npos) plan.readable.emplace_back(library);
  return plan;
}

bool is_stand_in(const Gpu& gpu) { return gpu.multiprocessors == 0; }

std::uint32_t rotating_copies(const Gpu& gpu, std::uint64_t tensor_bytes) {
  constexpr std::uint64_t most = 1 << 15;
  const std::uint64_t bytes = std::max<std::uint64_t>(tensor_bytes, 1);
  const auto wanted = (2 * static_cast<std::uint64_t>(gpu.cache_bytes) + bytes - 1) / bytes + 1;
  const auto possible = static_cast<std::uint64_t>(gpu.memory_bytes) / 4 / bytes;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min(wanted, possible), 1, most));
}

std::vector<GpuLock> lock_gpus(const std::vector<Gpu>& gpus, std::size_t most,
                               const std::function<bool()>& goes_on) {
  std::vector<GpuLock> locks;
  for (;;) {
    for (const Gpu& gpu : gpus) {
      if (locks.size() >= most) break;
      Fd file = lock_file(gpu);
      if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) locks.push_back({gpu, std::move(file)});
    }
    if (!locks.empty() || !goes_on()) return locks;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

}  // namespace kbench
