// Facilities that kbench can use, whether each is here, and the commands that get missing ones.
#pragma once

#include <string>
#include <vector>

#include "judge/equipment.hpp"

namespace kbench {

struct Facility {
  std::string name;   // "compiler": for programs
  std::string title;  // "C++ compiler"
  bool is_required;   // set where nothing in C++ is judged without it
  bool is_here;
  std::string found;                  // place, version or state, if known even of a missing one
  std::string without;                // loss without it: "no --profile"
  std::vector<std::string> commands;  // shell commands that get it; none: no command does
};

std::vector<Facility> facilities_of(const Equipment& equipment);

// Tells whether all that is required is here.
bool can_judge(const std::vector<Facility>& facilities);
// Returns a sentence that says what can be judged.
std::string judging_text(const std::vector<Facility>& facilities);

// Lists commands, one a line, each once, with its purpose behind it; "" where nothing is missing
// that a command gets.
std::string setup_text(const std::vector<Facility>& facilities);

}  // namespace kbench
