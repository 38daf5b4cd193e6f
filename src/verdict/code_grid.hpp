// The numbers of a dtype of 8 bits or fewer: each is a code, and what is rounded to it an interval.
#pragma once

#include <cstddef>

namespace kbench {

struct CodeGrid {
  double u = 0;         // unit roundoff
  double smallest = 0;  // smallest number above 0, subnormal
  double largest = 0;

  struct Interval {
    double low = 0, high = 0;
  };
  // Distance from a number's size to that of the next code, away from zero.
  double step(double value) const;
  double rounded(double value) const;  // rounded to nearest, ties to even; beyond the range its end
  // Interval of the numbers that are rounded to a code, halves to either side included.
  Interval rounded_to(double code) const;
  // Distances of a number: from what is rounded to a code, and from where its own code ends.
  double distance(double value, double code) const;
  double to_border(double value) const;
  // Distance between what is rounded to one code and what is rounded to another.
  double between(double one, double other) const;
};

// Count of codes of 8 bits or fewer that are others than the answer is rounded to, beside what
// honest intermediates make. An element alone does not tell: either code is right beside a border.
struct CodeShare {
  double others = 0;         // codes unlike what the answer is rounded to
  double inwards = 0;        // those of them nearer to zero
  double outwards = 0;       // those of them farther from it
  double likely = 0;         // others of an honest program, at most on average
  double likely_steady = 0;  // those of them that are not the reference's own noise

  // The limit for so many rows, whose elements may share one error, as k_rms_limit() has it;
  // however many they are, all may share one of a scale that is rounded.
  double limit(std::size_t rows) const;
  // Limit on |inwards - outwards|: less only where the reference's own noise makes many others.
  double limit_of_one_direction(std::size_t rows) const;

  double part_of_limit(std::size_t rows) const;
  bool accepts(std::size_t rows) const { return part_of_limit(rows) <= 1; }
};

}  // namespace kbench
