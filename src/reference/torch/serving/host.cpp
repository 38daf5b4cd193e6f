#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/channel.hpp"
#include "base/file.hpp"
#include "problem/host_protocol.hpp"
#include "problem/worker_protocol.hpp"
#include "reference/torch/script/program.hpp"
#include "reference/torch/serving/execute.hpp"
#include "reference/torch/serving/hosted_candidate.hpp"
#include "reference/torch/serving/memory.hpp"
#include "reference/torch/serving/python.hpp"
#include "reference/torch/serving/services.hpp"
#include "sandbox/enter.hpp"
#include "sandbox/forks.hpp"
#include "worker/hardware.hpp"
#include "worker/session.hpp"
#ifdef KBENCH_HAS_CUDA
#include "worker/cuda/hardware.hpp"
#endif

namespace kbench {
namespace {

// File descriptors of a worker: those of worker_protocol.hpp, and its output.
constexpr std::size_t fds_of_a_worker = worker::scratch_fd - worker::control_fd + 2;

// Returns the GPU that holds the tensors of a worker that this process forks. Null if that is the
// processor's memory, or where kbench was built without CUDA's headers.
std::unique_ptr<worker::Hardware> gpu_hardware(const HostGpu& gpu) {
  if (gpu.torch_device.empty()) return nullptr;
#ifdef KBENCH_HAS_CUDA
  return std::make_unique<cuda::GpuHardware>(gpu.driver, gpu.cupti);
#else
  return nullptr;
#endif
}

// Code that is hosted: where it comes from, and what it may read to get it.
class Hosted {
 public:
  virtual ~Hosted() = default;
  virtual std::vector<std::filesystem::path> folders() = 0;
  // Runs before load(), in the process that forks workers: nothing here runs code of the request.
  virtual void prepare(const HostRequest& /*request*/) {}
  // Loads in the worker. Throws what may be said of the candidate.
  virtual std::unique_ptr<ReferenceFunction> load(const HostRequest& request) = 0;
};

// Modules, which may import others.
class HostedPython final : public Hosted {
 public:
  std::vector<std::filesystem::path> folders() override {
    const std::vector<std::string> folders = python_folders();
    return {folders.begin(), folders.end()};
  }
  std::unique_ptr<ReferenceFunction> load(const HostRequest& request) override {
    return load_candidate_in_python(request);
  }
};

// References that LibTorch's own compiler takes. Some of its libraries are loaded late.
class HostedLibTorch final : public Hosted {
 public:
  std::vector<std::filesystem::path> folders() override { return {libtorch_folder()}; }

  // Errors are the worker's to report.
  void prepare(const HostRequest& request) override {
    try {
      ready_ = load(request);
    } catch (const std::exception&) {
    }
  }

  std::unique_ptr<ReferenceFunction> load(const HostRequest& request) override {
    if (ready_) return std::move(ready_);
    const auto text = read_file(std::filesystem::path(request.folder) / request.file);
    auto compiled = compile_reference(text, arguments_of(request));
    if (const auto* error = std::get_if<CompileError>(&compiled))
      throw std::runtime_error(error->message());
    return std::get<std::unique_ptr<ReferenceFunction>>(std::move(compiled));
  }

 private:
  std::unique_ptr<ReferenceFunction> ready_;

  static std::vector<ReferenceArgument> arguments_of(const HostRequest& request) {
    std::vector<ReferenceArgument> arguments;
    for (std::size_t i = 0; i < request.parameters.size(); ++i) {
      ReferenceArgument& argument = arguments.emplace_back();
      argument.name = request.parameters[i];
      argument.is_scalar = !request.scalars.at(i).empty();
      if (argument.is_scalar) argument.dtype = find_dtype(request.scalars[i]).value();
    }
    return arguments;
  }
};

FileView visible_to(Hosted& hosted, const HostRequest& request) {
  FileView files;
  files.readable = system_libraries();
  files.readable.emplace_back(request.folder);
  for (const std::filesystem::path& folder : hosted.folders()) files.readable.push_back(folder);
  files.private_bytes = worker::scratch_bytes;
  files.devices.assign(request.gpu.devices.begin(), request.gpu.devices.end());
  files.readable.insert(files.readable.end(), request.gpu.readable.begin(),
                        request.gpu.readable.end());
  if (request.starts_compilers) {
    const auto programs = system_programs();
    files.readable.insert(files.readable.end(), programs.begin(), programs.end());
    for (const std::string& path : python_programs()) files.readable.emplace_back(path);
  }
  return files;
}

// Recognises the one descriptor that a process which forks workers may get: sandbox/forks.hpp.
bool is_channel(const std::vector<Fd>& fds) { return fds.size() == 1; }

ProcessPlan plan_of(const HostRequest& request, const std::vector<Fd>& fds) {
  ProcessPlan plan;
  plan.isolation = isolation_of(request.isolation).value();
  for (const Fd& fd : fds) plan.fds.push_back(fd.get());
  plan.forks = is_channel(fds);
  if (!plan.forks) {
    plan.output = plan.fds.back();
    plan.fds.pop_back();
  }
  plan.directory = request.directory;
  plan.forbid_fork = !request.starts_compilers;
  plan.cores = request.cores;
  const bool is_on_gpu = !request.gpu.torch_device.empty();  // its driver maps more than any limit
  plan.local_sockets = request.starts_compilers && is_on_gpu;  // it may speak with devices, too
  if (request.memory_bytes > 0 && !is_on_gpu)
    plan.limits.memory_bytes = data_bytes() + request.memory_bytes;
  plan.limits.file_bytes = request.starts_compilers ? worker::scratch_bytes : request.file_bytes;
  plan.limits.processes = request.processes + (plan.forks ? 1 : 0);
  plan.limits.open_files = 256;
  return plan;
}

// Modules in Triton are emulated in Python.
void tell_python(const worker::EmulatedRegion* regions, std::size_t count, std::uint64_t seed) {
  std::vector<std::string> read_only;
  for (const worker::EmulatedRegion& region : std::span(regions, count))
    if (region.writable == 0) read_only.emplace_back(region.name);
  begin_emulated_call_in_python(seed, read_only);
}

worker::EmulationCall emulation_of(const HostRequest& request) {
  if (request.emulated_seconds == 0) return nullptr;
  if (request.file.ends_with(".py")) return &tell_python;
  return worker::emulation_call((std::filesystem::path(request.folder) / request.file).c_str());
}

worker::Loader loader_for(Hosted& hosted, const HostRequest& request) {
  return [&hosted, &request](worker::Control& control) -> std::optional<worker::EntryPoint> {
    try {
      at::set_num_threads(std::max(request.threads, 1));
      at::manual_seed(0);
      auto entry =
          hosted_entry_point(hosted.load(request), control.destination_passing == 0, request);
      entry.emulate = emulation_of(request);
      return entry;
    } catch (const std::exception& error) {
      worker::say_load_failed(control, error.what());
      return std::nullopt;
    }
  };
}

int serve_worker(Hosted& hosted, const HostRequest& request) {
  if (!request.gpu.torch_device.empty() || request.starts_compilers)
    enter_worker_in_python(request);
  const auto hardware = gpu_hardware(request.gpu);
  return worker::serve(loader_for(hosted, request), {{}, hardware.get(), request.starts_compilers});
}

HostReply start_worker(Hosted& hosted, const HostRequest& request, const std::vector<Fd>& fds) {
  if (fds.size() != fds_of_a_worker && !is_channel(fds))
    return {0, -1, -1, "a request came without its descriptors"};
  ProcessPlan plan = plan_of(request, fds);
  plan.files = visible_to(hosted, request);
  Confinement confinement = confinement_of(plan, ::getppid());
  const Launched launched = launch(confinement, Parent::parent_of_caller, [&] {
    close_report(plan.fds.size());
    const auto serve = [&] { return serve_worker(hosted, request); };
    if (!plan.forks) ::_exit(serve());
    hosted.prepare(request);
    fork_for_judge(Leftovers::removed);
    ::_exit(run_elsewhere(serve));
  });
  const Started& started = launched.started;
  std::string message;
  if (launched.error != 0) message = launched.step + ": " + std::strerror(launched.error);
  return {started.process, started.init, started.maker, message};
}

std::unique_ptr<Hosted> make_hosted() {
  if (is_python()) return std::make_unique<HostedPython>();
  return std::make_unique<HostedLibTorch>();
}

}  // namespace

void host(int socket) {
  warm_up();  // touched once for all forks
  const std::unique_ptr<Hosted> hosted = make_hosted();
  greet(socket, encode(HostReply{}));
  while (auto message = receive_message(socket, forever)) {
    const HostRequest request = decode_host_request(message->text);
    send_message(socket, encode(start_worker(*hosted, request, message->fds)));
  }
}

}  // namespace kbench
