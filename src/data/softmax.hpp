// Softmax that is the same bits on every machine, as the normal variates are: its exponential uses
// only + - * / of binary64.
#pragma once

#include <span>

namespace kbench {

// e^x for x <= 0, to 2 units in the last place; 0 below -700.
double exponential(double x);

// Replaces a row by its softmax; sums from the first element to the last.
void softmax(std::span<double> row);

}  // namespace kbench
