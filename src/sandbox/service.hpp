// A program of kbench's own that runs beside the judge and answers its messages (base/channel.hpp).
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/channel.hpp"
#include "sandbox/process.hpp"

namespace kbench {

// A service that does not start or does not answer.
struct ServiceFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Service {
 public:
  using Seconds = std::chrono::duration<double>;

  // Returns variables that the program's environment needs besides, asked when it is to start.
  // Throws std::runtime_error where they cannot be had.
  using Environment = std::vector<std::string> (*)();

  // Calls that wait for the program end with Interrupted when `stop` becomes true.
  Service(std::vector<std::string> argv, const std::atomic<bool>& stop,
          Environment environment = nullptr);
  // The service is a fork of `loaded`, a program that forks (forks.hpp), and begins with `word`.
  Service(std::shared_ptr<Service> loaded, std::string word, const std::atomic<bool>& stop);

  // Holds it as candidates are from its next start on: it sees these files, and starts nothing.
  void hold(const FileView& files) { visible_ = files; }

  // Starts it unless it runs; returns at once. Throws ServiceFailure.
  void start();
  // Returns its first message, which it sends unasked when it is ready; starts it first unless it
  // runs. A failure has the last line that it, or the loader in its place, had printed. Throws
  // ServiceFailure, Interrupted.
  const std::string& greeting(Seconds limit);
  // Returns its answer, after its greeting; nothing when it has ended, and then the next use starts
  // it again. Throws ServiceFailure when it does not answer, and Interrupted.
  std::optional<Message> ask(std::string_view request, std::span<const int> fds, Seconds limit);
  // Forks a program that forks; threads may share that. Throws ServiceFailure, Interrupted.
  std::unique_ptr<ChildProcess> fork(std::string_view word, std::span<const int> fds,
                                     Seconds limit);

 private:
  std::vector<std::string> argv_;
  const std::atomic<bool>& stop_;
  Environment environment_ = nullptr;
  std::optional<FileView> visible_;
  Fd socket_, printed_;
  std::unique_ptr<ChildProcess> process_;
  std::optional<std::string> greeting_;
  std::recursive_mutex mutex_;
  std::shared_ptr<Service> loaded_;  // nullptr: it is a program of its own
  std::string word_;

  std::string name() const;
  void end();
  std::optional<Message> receive(Seconds limit);
};

}  // namespace kbench
