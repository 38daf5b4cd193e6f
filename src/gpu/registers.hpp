// What a kernel's registers hold in the lanes of a warp when an instruction begins.
#pragma once

#include <map>
#include <string_view>

#include "gpu/lanes.hpp"
#include "gpu/sass.hpp"

namespace kbench::gpu {

class Registers {
 public:
  // Returns an operand's value: "R5", "-R5.reuse", "0x20", "c[0x0][0x160]", "UR4", "SR_TID.X".
  Lanes read(std::string_view operand) const;
  // Notes what `instruction` leaves.
  void apply(const Instruction& instruction);
  // What holds whichever of the two it was. False where that is what these are.
  bool merge(const Registers& other);

 private:
  struct Effect;  // of an instruction: what it writes, and where

  bool is_same_in_all_lanes(std::string_view predicate) const;
  Lanes read_constant(std::string_view operand) const;
  Lanes read_register(int number) const;
  Effect effect_of(const Instruction& instruction) const;
  void write(int number, const Lanes& value, bool is_divided);

  // Vector registers by their numbers, those that are the same in all lanes ("UR4") from
  // first_uniform on, predicates from first_predicate on. What is not here is not known.
  std::map<int, Lanes> known_;
};

}  // namespace kbench::gpu
