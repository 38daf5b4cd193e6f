#include "sandbox/isolation.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <exception>
#include <system_error>

#include "base/file.hpp"
#include "base/work_folder.hpp"
#include "sandbox/enter.hpp"
#include "sandbox/file_view.hpp"

namespace kbench {
namespace {

std::string reason(const Launched& launched) {
  return fmt::format("{}: {}", launched.step, std::generic_category().message(launched.error));
}

// Holds a process as a candidate would be; returns what fails, "" where nothing does.
std::string try_level(Isolation level) {
  const int version = landlock_version();
  if (version == 0) return "this kernel has no Landlock, or it is off";
  if (level == Isolation::landlock && version < landlock_with_signals) {
    return fmt::format("Landlock {} is needed, this kernel has {}", landlock_with_signals, version);
  }
  ProcessPlan plan;
  plan.isolation = level;
  plan.forbid_fork = true;
  plan.files.readable = {"/usr/lib"};
  if (level == Isolation::namespaces) {  // B would need somebody's folder
    plan.directory = temporary_folder();
    plan.files.private_bytes = 1 << 16;
  }
  try {
    Confinement confinement = confinement_of(plan, ::getpid());
    const Launched launched = launch(confinement, Parent::caller, [] {
      if (install(only_itself())) ::_exit(0);
    });
    ChildProcess child(launched.started);
    if (launched.error != 0) return reason(launched);
    const auto status = child.wait(std::chrono::seconds(60));
    return status && status->exited && status->code == 0 ? "" : "a process held so does not run";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

std::string_view letter(Isolation level) {
  constexpr std::array<std::string_view, 3> letters = {"A", "B", "C"};
  return letters[static_cast<std::size_t>(level)];
}

std::optional<Isolation> isolation_of(std::string_view text) {
  for (const auto level : {Isolation::namespaces, Isolation::landlock, Isolation::limits}) {
    if (letter(level) == text) return level;
  }
  return std::nullopt;
}

bool is_at_least(Isolation level, Isolation wanted) {
  return static_cast<int>(level) <= static_cast<int>(wanted);
}

const std::string& missing_for(Isolation level) {
  static const std::string nothing;
  if (level == Isolation::limits) return nothing;
  if (level == Isolation::namespaces) {
    static const std::string why = try_level(Isolation::namespaces);
    return why;
  }
  static const std::string why = try_level(Isolation::landlock);
  return why;
}

Isolation best_isolation() {
  for (const auto level : {Isolation::namespaces, Isolation::landlock}) {
    if (missing_for(level).empty()) return level;
  }
  return Isolation::limits;
}

// Names are Debian's and Ubuntu's own, and the kernel's: user_namespaces(7).
std::vector<std::string> settings_for_namespaces(const std::filesystem::path& sysctls) {
  struct Setting {
    std::string_view name, forbids, allows;
  };
  constexpr Setting known[] = {{"kernel/unprivileged_userns_clone", "0", "1"},
                               {"kernel/apparmor_restrict_unprivileged_userns", "1", "0"},
                               {"user/max_user_namespaces", "0", "10000"}};
  std::vector<std::string> out;
  for (const Setting& setting : known) {
    if (read_if_readable(sysctls / setting.name) != setting.forbids) continue;
    std::string name(setting.name);
    std::replace(name.begin(), name.end(), '/', '.');
    out.push_back(fmt::format("{}={}", name, setting.allows));
  }
  return out;
}

}  // namespace kbench
