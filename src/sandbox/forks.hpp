// Forks of one program in one box: a process that has entered it, and runs no code that kbench does
// not trust, makes them. A start costs neither a box nor the loading of a program then.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/channel.hpp"
#include "sandbox/process.hpp"

namespace kbench {

// The judge's side of the process that forks.
class Forks {
 public:
  // Starts the process that forks, a child of the caller, with this end of a channel.
  using Start = std::function<std::unique_ptr<ChildProcess>(int channel)>;

  // Makes a fork on these cores with these descriptors, whose last becomes its output. nullptr
  // where the process that forks ends before it has done so.
  std::unique_ptr<ChildProcess> fork(std::span<const int> fds, const std::vector<int>& cores,
                                     const Start& start);

 private:
  std::unique_ptr<ChildProcess> ask(std::span<const int> fds, const std::vector<int>& cores);

  Fd channel_;
  std::shared_ptr<ChildProcess> process_;  // forks that live need it: their box ends with it
};

// Argument that makes a program of kbench's fork.
constexpr std::string_view forks_word = "--forks";

// Files that forks have left in the current folder, when none of them lives.
enum class Leftovers { removed, kept };

// Serves as the process that forks: returns in each fork, when that has its descriptors, with the
// text that the judge has sent; ends with the judge's end of the channel.
std::string fork_for_judge(Leftovers leftovers);

// Returns the fork that a reply of fork_for_judge() is about; nullptr where there is none.
std::unique_ptr<ChildProcess> forked_child(const std::optional<Message>& reply,
                                           std::shared_ptr<ChildProcess> forker = nullptr);

// Runs `body` in a fork whose stack, heap and mappings lie elsewhere than in the others.
int run_elsewhere(const std::function<int()>& body);

}  // namespace kbench
