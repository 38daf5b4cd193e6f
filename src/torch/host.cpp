#include "torch/host.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "base/channel.hpp"
#include "problem/host_protocol.hpp"
#include "problem/worker_protocol.hpp"
#include "sandbox/enter.hpp"
#include "torch/hosted_candidate.hpp"
#include "torch/memory_limit.hpp"
#include "torch/python_plugin.hpp"
#include "torch/vector_math.hpp"
#include "worker/session.hpp"

namespace kbench {
namespace {

constexpr auto forever = std::chrono::hours(24 * 365);

// Those of worker_protocol.hpp, and the worker's output.
constexpr std::size_t fds_of_a_worker = 6;

// What a candidate may import, and what is loaded late of LibTorch, which lies among it.
FileView visible_to(PythonPlugin& python, const HostRequest& request) {
  FileView files;
  files.readable = system_libraries();
  files.readable.emplace_back(request.folder);
  for (const std::string& folder : python.module_folders()) {
    if (folder.starts_with('/')) files.readable.emplace_back(folder);
  }
  files.private_bytes = worker::scratch_bytes;
  return files;
}

ProcessPlan plan_of(const HostRequest& request, const std::vector<Fd>& fds) {
  ProcessPlan plan;
  plan.isolation = isolation_of(request.isolation).value();
  for (std::size_t i = 0; i + 1 < fds_of_a_worker; ++i) plan.fds.push_back(fds[i].get());
  plan.output = fds[fds_of_a_worker - 1].get();
  plan.directory = request.directory;
  plan.forbid_fork = true;
  plan.cores = request.cores;
  if (request.memory_bytes > 0) plan.limits.memory_bytes = data_bytes() + request.memory_bytes;
  plan.limits.file_bytes = request.file_bytes;
  plan.limits.processes = request.processes;
  plan.limits.open_files = 256;
  return plan;
}

worker::Loader loader_for(PythonPlugin& python, const HostRequest& request) {
  return [&python, &request](worker::Control& control) -> std::optional<worker::EntryPoint> {
    try {
      at::set_num_threads(std::max(request.threads, 1));
      at::manual_seed(0);
      return hosted_entry_point(python.load_candidate(request), control.destination_passing == 0,
                                request.outputs);
    } catch (const std::exception& error) {
      worker::say_load_failed(control, error.what());
      return std::nullopt;
    }
  };
}

HostReply start_worker(PythonPlugin& python, const HostRequest& request,
                       const std::vector<Fd>& fds) {
  if (fds.size() != fds_of_a_worker) return {0, -1, -1, "a request came without its descriptors"};
  ProcessPlan plan = plan_of(request, fds);
  plan.files = visible_to(python, request);
  Confinement confinement = confinement_of(plan, ::getppid());
  const Launched launched = launch(confinement, Parent::parent_of_caller, [&] {
    close_report(plan.fds.size());
    ::_exit(worker::serve(loader_for(python, request)));
  });
  const Started& started = launched.started;
  std::string message;
  if (launched.error != 0) message = launched.step + ": " + std::strerror(launched.error);
  return {started.process, started.init, started.maker, message};
}

}  // namespace

void host(int socket) {
  const auto plugin = python_plugin();
  const auto* why = std::get_if<std::string>(&plugin);
  send_message(socket, encode(HostReply{0, -1, -1, why != nullptr ? *why : ""}));
  if (why != nullptr) return;
  settle_vector_math();
  PythonPlugin& python = *std::get<PythonPlugin*>(plugin);
  while (auto message = receive_message(socket, forever)) {
    const HostRequest request = decode_host_request(message->text);
    send_message(socket, encode(start_worker(python, request, message->fds)));
  }
}

}  // namespace kbench
