// How strictly solutions are held.
#include <fmt/format.h>

#include "cli/judging/run_options.hpp"
#include "sandbox/isolation.hpp"

namespace kbench {

namespace {

void warn_of_limits(bool is_audit, Diagnostics& out) {
  const std::string& why = missing_for(Isolation::landlock);
  out.warning({},
              fmt::format("isolation level C: solutions can read and write what you can, and reach "
                          "the network{}{}",
                          is_audit ? ", which no audit can see" : "",
                          why.empty() ? "" : fmt::format(" (no level B: {})", why)),
              "judge only what you would run anyway; --require-isolation B refuses this");
}

}  // namespace

std::optional<Isolation> isolation_for(const RunCommand& command, Diagnostics& out) {
  const Isolation level = isolation_of(command.isolation).value_or(best_isolation());
  const Isolation required = isolation_of(command.required_isolation).value_or(Isolation::limits);
  const auto refuse = [&out](Isolation wanted, const std::string& why) {
    out.error(
        {}, fmt::format("solutions cannot be held at isolation level {}: {}", letter(wanted), why),
        fmt::format("see kbench run --help; this machine and user can have level {}",
                    letter(best_isolation())));
    return std::nullopt;
  };
  if (const std::string& why = missing_for(level); !why.empty()) return refuse(level, why);
  if (level == Isolation::limits && command.options.signing_key) {
    out.error({}, "--sign needs isolation level A or B: at level C a solution could read the key");
    return std::nullopt;
  }
  if (is_at_least(level, required)) {
    if (level == Isolation::limits) warn_of_limits(command.audit, out);
    return level;
  }
  const std::string& why = missing_for(required);
  return refuse(required, why.empty() ? "--isolation chooses " + command.isolation : why);
}

}  // namespace kbench
