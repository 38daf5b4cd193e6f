// What is seen of a space of configurations while it is made.
#pragma once

#include <string>

#include "tune/make_space.hpp"

namespace kbench {

// Shows how far it is as soon as it takes longer than half a second; an interrupt ends it.
SpaceWatch space_watch(const std::string& solution);

}  // namespace kbench
