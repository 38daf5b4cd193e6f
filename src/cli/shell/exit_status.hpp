// Exit statuses of every subcommand.
#pragma once

#include <string_view>
#include <utility>

namespace kbench {

enum Exit : int {
  exit_good = 0,
  exit_negative = 1,
  exit_input = 2,
  exit_environment = 3,
  exit_undecided = 4,
  exit_interrupted = 130,
};

constexpr std::pair<Exit, std::string_view> exit_statuses[] = {
    {exit_good, "good"},
    {exit_negative, "the verdict is negative: incorrect, slower, gate failed"},
    {exit_input, "the input or the usage is wrong"},
    {exit_environment, "the environment or kbench itself failed"},
    {exit_undecided, "nothing could be decided: nothing selected, all undecided"},
    {exit_interrupted, "interrupted; the record in hand was finished"}};

}  // namespace kbench
