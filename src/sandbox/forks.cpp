#include "sandbox/forks.hpp"

#include <alloca.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/channel.hpp"
#include "base/system.hpp"
#include "base/work_folder.hpp"
#include "sandbox/enter.hpp"

namespace kbench {
namespace {

constexpr auto answer_limit = std::chrono::seconds(60);
constexpr std::size_t page = 4096;

// Returns the id of a descriptor's process, as this process numbers it; -1 where it is gone.
pid_t process_of(const Fd& pidfd) {
  constexpr std::string_view key = "\nPid:";
  const std::string text = read_file(fmt::format("/proc/self/fdinfo/{}", pidfd.get()));
  const std::size_t at = text.find(key);
  return at == std::string::npos ? -1 : std::atoi(text.c_str() + at + key.size());
}

void empty_current_folder() {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(".", none))
    remove_tree(entry.path());
}

// Puts a fork's descriptors in their places; none of the process that forks stays open.
void take_places(std::vector<Fd>& forks, std::vector<Fd>& passed) {
  for (Fd& fork : forks) static_cast<void>(fork.release());
  std::vector<int> fds;
  for (Fd& fd : passed) fds.push_back(fd.release());
  if (fds.empty()) ::_exit(1);
  const int output = fds.back();
  fds.pop_back();
  ::setpgid(0, 0);
  if (!place_fds(fds, output)) ::_exit(1);
}

// Reserves address space alone.
std::byte* reserve(std::size_t bytes) {
  return static_cast<std::byte*>(
      ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

}  // namespace

std::unique_ptr<ChildProcess> Forks::fork(std::span<const int> fds, const std::vector<int>& cores,
                                          const Start& start) {
  if (process_)
    if (auto child = ask(fds, cores)) return child;
  auto [ours, theirs] = make_channel();
  process_ = start(theirs.get());
  theirs.reset();
  channel_ = std::move(ours);
  return ask(fds, cores);
}

std::unique_ptr<ChildProcess> Forks::ask(std::span<const int> fds,
                                         const std::vector<int>& cores) try {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  ::sched_setaffinity(process_->pid(), sizeof set, &set);
  send_message(channel_.get(), "", fds);
  return forked_child(receive_message(channel_.get(), answer_limit), process_);
} catch (const std::system_error&) {  // the process is gone
  return nullptr;
}

std::unique_ptr<ChildProcess> forked_child(const std::optional<Message>& reply,
                                           std::shared_ptr<ChildProcess> forker) {
  if (!reply || reply->fds.empty()) return nullptr;
  return std::make_unique<ChildProcess>(Started{process_of(reply->fds.front())}, std::move(forker));
}

// A clone without the C library's knowledge: its parent is the judge.
std::string fork_for_judge(Leftovers leftovers) {
  std::vector<Fd> forks;
  while (auto message = receive_message(first_passed_fd, forever)) {
    std::erase_if(forks, [](const Fd& fork) { return wait_readable(fork.get(), {}); });
    if (leftovers == Leftovers::removed && forks.empty()) empty_current_folder();
    int pidfd = -1;
    const long pid = ::syscall(SYS_clone, CLONE_PARENT | CLONE_PIDFD | SIGCHLD, 0, &pidfd, 0, 0);
    if (pid == 0) {
      take_places(forks, message->fds);
      return std::move(message->text);
    }
    if (pid > 0) forks.emplace_back(pidfd);
    send_message(first_passed_fd, "", {&pidfd, pid > 0 ? 1U : 0U});
  }
  ::_exit(0);
}

int run_elsewhere(const std::function<int()>& body) {
  const std::uint64_t random = fresh_secret();
  const std::byte* const floor = reserve((1 + (random & 0xFFFF)) * page);
  // The gaps above that are the same in all. A kernel that maps upwards has no end of them.
  std::size_t bytes = page << 16;
  for (int i = 0; i < 1000 && bytes >= page; ++i) {
    std::byte* const gap = reserve(bytes);
    if (gap > floor && gap != MAP_FAILED) continue;
    ::munmap(gap, bytes);
    bytes /= 2;
  }
  static_cast<void>(::sbrk(static_cast<std::intptr_t>(16 * (random >> 16 & 0xFFFF))));
  auto* const room = static_cast<volatile char*>(::alloca(16 * (1 + (random >> 32 & 0xFFF))));
  *room = 0;
  return body();
}

}  // namespace kbench
