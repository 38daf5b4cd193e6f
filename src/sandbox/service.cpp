#include "sandbox/service.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/system.hpp"
#include "base/text.hpp"
#include "sandbox/forks.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto slice = std::chrono::milliseconds(50);  // delay until a stop is noticed
constexpr auto transfer_limit = std::chrono::seconds(10);
constexpr std::uint64_t most_held_memory = std::uint64_t{16} << 30;
constexpr off_t longest_words = 4096;

// Returns the end of a file.
std::string end_of(int file) {
  const off_t size = ::lseek(file, 0, SEEK_END);
  std::string text(longest_words, '\0');
  const auto from = std::max<off_t>(size - longest_words, 0);
  text.resize(std::max<ssize_t>(::pread(file, text.data(), text.size(), from), 0));
  return text;
}

}  // namespace

Service::Service(std::vector<std::string> argv, const std::atomic<bool>& stop,
                 Environment environment)
    : argv_(std::move(argv)), stop_(stop), environment_(environment) {}

Service::Service(std::shared_ptr<Service> loaded, std::string word, const std::atomic<bool>& stop)
    : argv_(loaded->argv_), stop_(stop), loaded_(std::move(loaded)), word_(std::move(word)) {}

std::string Service::name() const { return join(argv_, " "); }

void Service::end() {
  process_.reset();
  greeting_.reset();
}

void Service::start() {
  const std::lock_guard lock(mutex_);
  if (process_) return;
  if (loaded_) return loaded_->start();
  auto [ours, theirs] = make_channel();
  ProcessPlan plan;
  plan.argv = argv_;
  // The workers have the same (see exec); and numpy starts no threads, which a fork would not have.
  plan.environment = {"LC_ALL=C.UTF-8", "GOMP_SPINCOUNT=2000", "OPENBLAS_NUM_THREADS=1"};
  plan.fds = {theirs.get()};
  if (visible_) {
    plan.isolation = best_isolation();
    plan.files = *visible_;
    plan.forbid_fork = true;
    plan.limits.memory_bytes = most_held_memory;
  }
  printed_ = Fd(::memfd_create("what a service prints", MFD_CLOEXEC));
  if (!printed_) fail_by_errno("memfd_create");
  plan.output = printed_.get();
  try {
    if (environment_ != nullptr) {
      for (std::string& one : environment_()) plan.environment.push_back(std::move(one));
    }
    process_ = std::make_unique<ChildProcess>(plan);
  } catch (const std::runtime_error& error) {
    throw ServiceFailure(fmt::format("{} does not start: {}", name(), error.what()));
  }
  socket_ = std::move(ours);
}

std::optional<Message> Service::receive(Seconds limit) {
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  while (!wait_readable(socket_.get(), slice)) {
    if (stop_) {
      end();
      throw Interrupted();
    }
    if (Clock::now() < deadline) continue;
    end();
    throw ServiceFailure(fmt::format("{} has not answered for {:g} s", name(), limit.count()));
  }
  return receive_message(socket_.get(), transfer_limit);
}

const std::string& Service::greeting(Seconds limit) {
  if (greeting_) return *greeting_;
  start();
  if (loaded_) {
    auto [ours, theirs] = make_channel();
    const Fd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    process_ = loaded_->fork(word_, std::vector{theirs.get(), nowhere.get()}, limit);
    socket_ = std::move(ours);
  }
  if (auto hello = receive(limit)) return greeting_.emplace(std::move(hello->text));
  const auto status = process_->wait(std::chrono::seconds(1));
  end();
  throw ServiceFailure(fmt::format(
      "{} does not start: {}", name(),
      status ? last_words(argv_.front(), *status, printed_ ? end_of(printed_.get()) : "")
             : "it closed its channel"));
}

std::optional<Message> Service::ask(std::string_view request, std::span<const int> fds,
                                    Seconds limit) {
  std::optional<Message> answer;
  try {
    send_message(socket_.get(), request, fds);
    answer = receive(limit);
  } catch (const std::system_error&) {  // it is gone
  }
  if (!answer) end();
  return answer;
}

std::unique_ptr<ChildProcess> Service::fork(std::string_view word, std::span<const int> fds,
                                            Seconds limit) {
  const std::lock_guard lock(mutex_);
  for (int attempt = 0; attempt < 2; ++attempt) {
    greeting(limit);
    if (auto child = forked_child(ask(word, fds, limit))) return child;
  }
  throw ServiceFailure(fmt::format("{} ended twice before it had forked", name()));
}

}  // namespace kbench
