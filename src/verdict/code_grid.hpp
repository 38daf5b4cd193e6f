// The numbers of a dtype of 8 bits or fewer: each is a code, and what is rounded to it an interval.
#pragma once

#include <cstddef>

namespace kbench {

struct CodeGrid {
  double u = 0;         // unit roundoff
  double smallest = 0;  // above 0, subnormal
  double largest = 0;

  struct Interval {
    double low = 0, high = 0;
  };
  // From a number's size to that of the next code, away from zero.
  double step(double value) const;
  double rounded(double value) const;  // to nearest, ties to even; beyond the range to its end
  // What is rounded to a code, halves to either side included.
  Interval rounded_to(double code) const;
  // How far a number is from what is rounded to a code, and from where its own code ends.
  double distance(double value, double code) const;
  double to_border(double value) const;
  // How far what is rounded to one code is from what is rounded to another.
  double between(double one, double other) const;
};

// How many codes of 8 bits or fewer are others than the answer is rounded to, beside what honest
// intermediates make. An element alone does not tell: beside a border either code is right.
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
