// How many codes of 8 bits or fewer are others than the answer is rounded to, beside what honest
// intermediates make. An element alone does not tell: beside a border either code is right.
#pragma once

#include <cstddef>

namespace kbench {

struct CodeShare {
  double others = 0;         // unlike what the answer is rounded to
  double inwards = 0;        // those of them nearer to zero
  double outwards = 0;       // those of them farther from it
  double likely = 0;         // others of an honest program, at most on average
  double likely_steady = 0;  // those of them that are not the reference's own noise

  // The limit for so many rows, whose elements may share one error, as k_rms_limit() has it;
  // however many they are, all may share one of a scale that is rounded.
  double limit(std::size_t rows) const;
  // On |inwards - outwards|, which is less only where the reference's own noise makes many others.
  double limit_of_one_direction(std::size_t rows) const;

  double part_of_limit(std::size_t rows) const;
  bool accepts(std::size_t rows) const { return part_of_limit(rows) <= 1; }
};

}  // namespace kbench
