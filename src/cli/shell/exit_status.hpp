// Exit statuses of every subcommand.
#pragma once

namespace kbench {

enum Exit : int {
  exit_good = 0,
  exit_negative = 1,     // the verdict is negative: incorrect, slower, gate failed
  exit_input = 2,        // the input or the usage is wrong
  exit_environment = 3,  // the environment or kbench itself failed
  exit_undecided = 4,    // nothing could be decided: nothing selected, all undecided
  exit_interrupted = 130,
};

}  // namespace kbench
