// The numbers of a dtype of 8 bits or fewer: each is a code, and what is rounded to it an interval.
#pragma once

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

}  // namespace kbench
