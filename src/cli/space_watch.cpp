#include "cli/space_watch.hpp"

#include <fmt/format.h>

#include <chrono>

#include "cli/running.hpp"

namespace kbench {

SpaceWatch space_watch(ProgressLine& progress, const std::string& solution) {
  using Clock = std::chrono::steady_clock;
  using namespace std::chrono_literals;
  return [&progress, solution, next = Clock::now() + 500ms](double part) mutable {
    if (Clock::now() >= next) {
      progress.show(
          fmt::format("{}: {:.1f} % of all combinations gone through", solution, 100 * part));
      next = Clock::now() + 100ms;
    }
    return interrupted().load();
  };
}

}  // namespace kbench
