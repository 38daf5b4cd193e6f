// How busy a machine is, and whether its clock stands still: what changes times from run to run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace kbench {

// Clock rates above the nominal one.
struct Boost {
  bool is_on = false;
  std::string file;  // that sets it
  std::string off;   // what to write there for none
};

struct MachineState {
  std::optional<double> load;  // processes that want a core, over the last minute
  std::string governor;        // of the clock rate: "performance", …; "" where it is not shown
  std::optional<Boost> boost;  // nothing where it is not shown
};

// `root`: of the files that the kernel shows.
MachineState machine_state(const std::filesystem::path& root = "/");

}  // namespace kbench
