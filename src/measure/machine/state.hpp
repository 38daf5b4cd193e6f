// Load of a machine, and whether its clock stands still: what changes times from run to run.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "base/file.hpp"

namespace kbench {

// Clock rates above the nominal one.
struct Boost {
  bool is_on = false;
  std::string file;  // file that sets it
  std::string off;   // text to write there for none
};

struct MachineState {
  std::optional<double> load;  // processes that want a core, over the last minute
  std::string governor;        // governor of the clock: "performance", …; "" if not shown
  std::optional<Boost> boost;  // nothing where it is not shown
};

// `root`: of the files that the kernel shows.
MachineState machine_state(const std::filesystem::path& root = "/");

// Two programs that time on one machine disturb each other: kbench waits until no other kbench
// does.

// Turn that is held while calls are timed. A name in Linux's abstract name space is the lock
// (unix(7)): it leaves no file behind, and whoever has it loses it with its end.
class TimingTurn {
 public:
  // Waits until the turn is ours, for `patience` at most.
  explicit TimingTurn(std::chrono::milliseconds patience = std::chrono::seconds(20));

 private:
  Fd socket_;
};

}  // namespace kbench
