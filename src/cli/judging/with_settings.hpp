// What every command that judges does before it begins.
#pragma once

#include <functional>

#include "base/diagnostic.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/judging/run_settings.hpp"

namespace kbench {

// Gives `body` the settings, once caches and isolation are settled as the command line asks; its
// exit status, or that of what is wrong, which is printed.
int with_settings(RunCommand& command,
                  const std::function<int(const Settings& settings, Diagnostics reports)>& body);

}  // namespace kbench
