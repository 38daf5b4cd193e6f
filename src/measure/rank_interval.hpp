// How far two samples lie apart, from ranks alone: for samples too few to bound each median.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "measure/statistics.hpp"

namespace kbench {

// An interval of the shift from `a` to `b` that misses it with at most 1 - confidence, as rarely to
// either side: where both have one distribution but for the shift, whatever that is. It holds the
// differences of all pairs but the k least and the k largest, k from the exact distribution of Mann
// and Whitney's U (Ann. Math. Stat. 18, 1947; the interval: Lehmann, Nonparametrics, 1975). Of
// more than 64 values every so manieth is taken. Nothing where they are too few.
std::optional<Interval> shift_interval(std::span<const double> a, std::span<const double> b,
                                       double confidence);

// An interval of the centre of a symmetric law, of which `sorted` are at least 20 values: the
// averages of all pairs but the k least and the k largest, k by the normal law that Wilcoxon's
// signed ranks come near to (Biometrics Bulletin 1, 1945; the interval: Lehmann, Nonparametrics,
// 1975). For a law with two modes it is far narrower than what bounds the median. Nothing for fewer
// values; the number of values must not depend on what they say.
std::optional<Interval> signed_rank_interval(std::span<const double> sorted, double confidence);

// The largest u with P(U < u) <= probability, U of samples of these sizes from one distribution.
std::size_t rank_quantile(std::size_t first, std::size_t second, double probability);

}  // namespace kbench
