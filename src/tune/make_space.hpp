// Configurations that conditions allow.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/registry/tunables.hpp"
#include "schema/containers.hpp"
#include "tune/space.hpp"

namespace kbench {

// Limit of a space: no search finds out anything about a larger one within reason.
inline constexpr std::size_t most_configurations = std::size_t{1} << 24;

// Reason why there is no space.
struct SpaceFlaw {
  std::string message;
  std::optional<std::size_t> restriction;  // restriction that it is about
  bool is_interrupted = false;             // the making was cut short: there is no mistake
};

// Watch, which is called again and again while a space is made, with the share of all combinations
// that has been gone through, from 0 to 1; true ends it.
using SpaceWatch = std::function<bool(double part)>;

// Makes the space of the configurations for which each restriction holds in such a call. A
// restriction is checked as soon as the last of its parameters has a value, so that forbidden ones
// are never made: of 8^7 combinations with four restrictions in some hundredths of a second.
std::variant<Space, SpaceFlaw> make_space(std::vector<SpaceParameter> parameters,
                                          const std::vector<std::string>& restrictions,
                                          const CallFacts& facts, const SpaceWatch& watch = {});

// Makes the space that a Solution declares: of its candidates where it lists them. A flaw is
// reported at the condition that it is about, else at the first parameter.
std::optional<Space> make_space(const Tunables& tunables, const CallFacts& facts,
                                Diagnostics& diagnostics, const SpaceWatch& watch = {});

}  // namespace kbench
