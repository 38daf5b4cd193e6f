#include "cli/judging/space_watch.hpp"

#include <fmt/format.h>

#include <chrono>

#include "cli/shell/interrupts.hpp"
#include "cli/shell/progress.hpp"

namespace kbench {

SpaceWatch space_watch(const std::string& solution) {
  using Clock = std::chrono::steady_clock;
  using namespace std::chrono_literals;
  return [solution, next = Clock::now() + 500ms](double part) mutable {
    if (Clock::now() >= next) {
      progress().note(
          fmt::format("{}: {:.1f} % of all combinations gone through", solution, 100 * part));
      next = Clock::now() + 100ms;
    }
    return interrupted().load();
  };
}

}  // namespace kbench
