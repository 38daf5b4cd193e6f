#include "torch/host.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "base/channel.hpp"
#include "problem/host_protocol.hpp"
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

ProcessPlan plan_of(const HostRequest& request, const std::vector<Fd>& fds) {
  ProcessPlan plan;
  for (std::size_t i = 0; i + 1 < fds_of_a_worker; ++i) plan.fds.push_back(fds[i].get());
  plan.output = fds[fds_of_a_worker - 1].get();
  plan.directory = request.directory;
  plan.forbid_fork = true;
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

// A child of our parent, the judge: it waits for it and sees its end as with its own workers.
pid_t fork_for_the_judge() {
  return static_cast<pid_t>(::syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
}

HostReply start_worker(PythonPlugin& python, const HostRequest& request,
                       const std::vector<Fd>& fds) {
  if (fds.size() != fds_of_a_worker) return {0, "a request came without its descriptors"};
  Confinement confinement = confinement_of(plan_of(request, fds), ::getppid());
  const pid_t pid = fork_for_the_judge();
  if (pid < 0) return {0, std::string("fork: ") + std::strerror(errno)};
  if (pid > 0) return {pid, ""};
  if (!enter(confinement)) ::_exit(1);
  ::_exit(worker::serve(loader_for(python, request)));
}

}  // namespace

void host(int socket) {
  const auto plugin = python_plugin();
  const auto* why = std::get_if<std::string>(&plugin);
  send_message(socket, encode(HostReply{0, why != nullptr ? *why : ""}));
  if (why != nullptr) return;
  settle_vector_math();
  PythonPlugin& python = *std::get<PythonPlugin*>(plugin);
  while (auto message = receive_message(socket, forever)) {
    const HostRequest request = decode_host_request(message->text);
    send_message(socket, encode(start_worker(python, request, message->fds)));
  }
}

}  // namespace kbench
