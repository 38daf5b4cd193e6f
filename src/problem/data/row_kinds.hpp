// Which kinds of rows a structured input set has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "problem/data/structure.hpp"
#include "schema/dtype.hpp"

namespace kbench {

// What one row of a structured input set looks like.
enum class RowKind : std::uint8_t {
  plain,
  needles,  // a few dominant elements, one of them the greatest
  peaks,    // a few dominant elements above others that are far below
  valleys,  // a few dominant elements below 0, one of them the least
  down,     // times a negative power of two
  pairs,    // x, -x; the first is the least of all
  up,       // times a power of two
  zero,
  above,      // all by a common offset
  below,      // all by its negative
  far_below,  // so far that e^x is 0, with a few dominant elements
  steps,      // the mean changes within the row: between its halves, and from place to place
  tiny,       // beside zeros of both signs
  cluster,    // some large elements side by side, from a border of tiles on
  stride,     // as many at equal distances, a power of two
  cluster_below,
  stride_below,  // as `stride`, but below 0
  masked_start,  // the first half is -∞
  masked_end,    // the last half is
  masked_some,   // every element but one in seven
  masked,        // all are
  infinite,      // one is +∞
  nan            // one is NaN
};

// How far a dtype lets values be moved, and keeps them inside its range after a product or two.
struct Reach {
  int shift;        // of `up` and `down`, in powers of two
  double needle;    // beside standard normals
  double greatest;  // a needle above the others
  double depth;   // of what lies below peaks of 2: e^12 of 128 k terms is still much, and a number
                  // near 0 has a sure exponential in 16 bits, too
  double offset;  // of a row; small enough for the one-pass variance of float32 that honest kernels
                  // use
  double tiny;    // float16 and float8: subnormal. Else normal: processors flush subnormals of
                  // bfloat16, and of float32 under -ffast-math, and that is no mistake
  double integer;  // the largest whole number up to which all are exact
  double far;      // below which e^x is 0 in float32, if there is such a number
};
Reach reach_of(DType dtype);

struct Chance {
  std::span<const std::uint32_t> word;  // four random ones
  std::size_t turn = 0;                 // how many rows of its kind came before
  std::size_t large = 1;                // how many elements of a cluster are
};

// Shapes one row of plain values into a row of the kind.
void shape_row(RowKind kind, const Reach& reach, const Chance& chance, std::span<double> row);

// Where loops over n elements go wrong: the ends, the borders of the last tiles of usual sizes.
std::vector<std::size_t> edges(std::size_t n);

// In the order in which they come; none of sets that have no rows. `reference` is its text.
std::vector<RowKind> kinds_of_rows(InputSet set, const std::string& reference);

// Returns the kinds in a tensor of so many rows: a tensor of one row has no plain one, which says
// no more than random inputs.
std::vector<RowKind> kinds_in(std::size_t rows, const std::vector<RowKind>& kinds);

}  // namespace kbench
