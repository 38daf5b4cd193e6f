// What kbench can use, whether it is here, and the commands that get what is not.
#pragma once

#include <string>
#include <vector>

#include "judge/equipment.hpp"

namespace kbench {

struct Facility {
  std::string name;   // "compiler": for programs
  std::string title;  // "C++ compiler"
  bool is_required;   // without it nothing in C++ is judged
  bool is_here;
  std::string found;    // place, version or state: where it is not here, too, if that is known
  std::string without;  // what is missing without it
  std::vector<std::string> commands;  // that get it, for a shell; none: no command does
};

std::vector<Facility> facilities_of(const Equipment& equipment);

// All that is required is here.
bool can_judge(const std::vector<Facility>& facilities);
// What can be judged, in a sentence.
std::string judging_text(const std::vector<Facility>& facilities);

// A command a line, each once, and behind it what it is for; "" where nothing is missing that a
// command gets.
std::string setup_text(const std::vector<Facility>& facilities);

}  // namespace kbench
