// Numbers of one input's stream: any that its dtype has, one row a dtype in numbers.cpp, or whole
// ones, each as likely or skewed, which values that mean something are made of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/data/random.hpp"
#include "schema/dtype.hpp"

namespace kbench {

// Choice among the numbers of inputs that mean something: indices, lengths, routes.
enum class Skew : std::uint8_t {
  none,  // each as likely
  ends,  // each as likely, but the first and the last always come
  high,  // the last mostly; one sequence has all that it can have
  low,   // the first alone; sequences as long as tiles are, and one more or less
  empty  // each as likely, but some sequences and rows have no element, others have holes
};

using Integers = std::vector<std::int64_t>;

class Numbers {
 public:
  explicit Numbers(const Stream& stream, Skew skew = Skew::none) : stream_(stream), skew_(skew) {}

  Skew skew() const { return skew_; }

  // Draws from 0 to n - 1 (n > 0), or low to high, both included, each as likely whatever the skew.
  std::int64_t below(std::int64_t n);
  std::int64_t between(std::int64_t low, std::int64_t high) { return low + below(high - low + 1); }
  // Draws a number above 0, up to 1, exact in binary16 and wider.
  double unit() { return (static_cast<double>(next() >> 22) + 1) / 1024; }

  // Draws one from low to high, by the skew.
  std::int64_t one_between(std::int64_t low, std::int64_t high);
  // Draws `count` numbers below `range`.
  Integers any(std::int64_t count, std::int64_t range);
  // Draws different numbers; all of them over and over where there are not so many.
  Integers distinct(std::int64_t count, std::int64_t range);
  // Splits `total` into parts of at least `smallest`, by cuts at random places, so that short parts
  // and long ones both come.
  Integers split(std::int64_t parts, std::int64_t total, std::int64_t smallest);
  // Draws the lengths of sequences that do not depend on each other.
  Integers lengths(std::int64_t count, std::int64_t low, std::int64_t high);

 private:
  std::uint32_t next();
  Integers shuffled(std::int64_t count, std::int64_t range);
  Integers cut(std::int64_t parts, std::int64_t total, std::int64_t smallest);

  Stream stream_;
  Skew skew_;
  std::array<std::uint32_t, words_per_group> words_{};
  std::uint64_t first_ = 0;
  std::size_t used_ = words_per_group;
};

// Writes elements [first, first + count) of a tensor that begins at `data`: element i from word i
// of the stream. `first` is a multiple of words_per_group.
void fill_random(DType dtype, const Stream& stream, std::byte* data, std::uint64_t first,
                 std::size_t count);

}  // namespace kbench
