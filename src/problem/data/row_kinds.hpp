// Kinds of rows in a structured input set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "problem/data/structure.hpp"
#include "schema/dtype.hpp"

namespace kbench {

// Pattern of one row of a structured input set.
enum class RowKind : std::uint8_t {
  plain,
  needles,  // a few dominant elements, one of them the greatest
  peaks,    // a few dominant elements above others that are far below
  valleys,  // a few dominant elements below 0, one of them the least
  down,     // scaled by a negative power of two
  pairs,    // x, -x; the first is the least of all
  up,       // scaled by a power of two
  zero,
  above,      // raised by a common offset
  below,      // lowered by the same offset
  far_below,  // lowered so far that e^x is 0, with a few dominant elements
  steps,      // the mean changes within the row: between its halves, and from place to place
  tiny,       // tiny numbers beside zeros of both signs
  cluster,    // some large elements side by side, from a border of tiles on
  stride,     // large elements at equal distances, a power of two
  cluster_below,
  stride_below,  // `stride`, but below 0
  masked_start,  // the first half is -∞
  masked_end,    // the last half is -∞
  masked_some,   // every element but one in seven is -∞
  masked,        // all are -∞
  infinite,      // one is +∞
  nan            // one is NaN
};

// Distances by which a dtype's values may move and stay in its range after a product or two.
struct Reach {
  int shift;        // power of two of `up` and `down`
  double needle;    // dominant element beside standard normals
  double greatest;  // a needle above the others
  double depth;   // distance below peaks of 2: e^12 of 128 k terms is still much, and a number near
                  // 0 has a sure exponential in 16 bits, too
  double offset;  // offset of a row; small enough for the one-pass variance of float32 that honest
                  // kernels use
  double tiny;    // subnormal in float16 and float8, else normal: processors flush subnormals of
                  // bfloat16, and of float32 under -ffast-math, and that is no mistake
  double integer;  // the largest whole number up to which all are exact
  double far;      // depth below 0 at which e^x is 0 in float32, if there is one
};
Reach reach_of(DType dtype);

struct Chance {
  std::span<const std::uint32_t> word;  // four random words
  std::size_t turn = 0;                 // rows of its kind that came before
  std::size_t large = 1;                // large elements of a cluster
};

// Shapes one row of plain values into a row of the kind.
void shape_row(RowKind kind, const Reach& reach, const Chance& chance, std::span<double> row);

// Indices at which loops over n elements go wrong: the ends, borders of the last usual tiles.
std::vector<std::size_t> edges(std::size_t n);

// Kinds in the order in which they come; none of sets without rows. `reference` is its text.
std::vector<RowKind> kinds_of_rows(InputSet set, const std::string& reference);

// Returns the kinds in a tensor of so many rows: a tensor of one row has no plain one, which says
// no more than random inputs.
std::vector<RowKind> kinds_in(std::size_t rows, const std::vector<RowKind>& kinds);

}  // namespace kbench
