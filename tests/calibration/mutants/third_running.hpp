// Third set: running values along a row.
#pragma once

#include "calibration/mutants/third_making.hpp"

namespace kbench::mutants::heldout {

// y[t] = 0.9 y[t - 1] + 0.1 x[t], from x[0] on: x[7, 300].
template <class T>
T averaged_on(T y, T x, const Way& way) {
  if (way.is("by differences")) return y + T{0.1F} * (x - y);
  if (way.is("weights swapped")) return T{0.1F} * y + T{0.9F} * x;
  if (way.is("0.99 is kept")) return T{0.99F} * y + T{0.01F} * x;
  if (way.is("nothing decays")) return y + T{0.1F} * x;
  const T next = way.is("fused") ? std::fma(T{0.9F}, y, T{0.1F} * x) : T{0.9F} * y + T{0.1F} * x;
  if (way.is("kept in bfloat16")) return low(DType::bfloat16, next);
  return way.is("kept in float16") ? low(DType::float16, next) : next;
}

// Blocks of 64 know of those before by one number.
template <class T>
Values averages_by_blocks(const Read<T>& x, N row, const Way& way) {
  Values out;
  T carry = x[row];
  for (N first = 0; first < 300; first += 64) {
    T y = 0, power = 1;
    for (N t = first; t < std::min<N>(first + 64, 300); ++t) {
      const bool starts = t == 0;
      if (!starts) y = T{0.9F} * y + T{0.1F} * x[row + t];
      if (!starts && !way.is("what is carried does not decay")) power *= T{0.9F};
      out.push_back(y + power * carry);
    }
    carry = static_cast<T>(out.back());
  }
  return out;
}

template <class T>
Made averages(const Given& g, const Way& way) {
  constexpr N n = 300;
  const Read<T> x{g["x"]};
  Made out{Values(g["x"].size())};
  T y = 0;
  for (N i = 0; i < g["x"].size(); ++i) {
    const N t = i % n, at = way.is("from the end") ? i - t + n - 1 - t : i;
    const bool anew = way.is("blocks of 64 start anew") && t % 64 == 0;
    if ((t == 0 && !way.is("rows run on")) || anew)
      y = way.is("starts from 0") ? T{0.1F} * x[at] : x[at];
    else
      y = averaged_on(y, x[at], way);
    out[0][at] = y;
    if (way.is("corrected at the start"))
      out[0][at] = y / (T{1} - std::pow(T{0.9F}, static_cast<T>(t + 1)));
  }
  if (!way.is("by blocks") && !way.is("what is carried does not decay")) return out;
  out[0].clear();
  for (N r = 0; r < 7; ++r) {
    const Values mine = averages_by_blocks(x, r * n, way);
    out[0].insert(out[0].end(), mine.begin(), mine.end());
  }
  return out;
}

inline HeldOut moving_average() {
  const DType dtype = DType::float32;
  Task task{"moving average",
            "scan",
            dtype,
            {{"M", 7}, {"L", 300}},
            {{"x", tensor({"M", "L"}, dtype)}},
            {{"y", tensor({"M", "L"}, dtype)}},
            "def run(x):\n    y = x.clone()\n    for t in range(1, x.shape[1]):\n"
            "        y[:, t] = 0.9 * y[:, t - 1] + 0.1 * x[:, t]\n    return y\n",
            {}};
  Making making(std::move(task), {{dtype, 300}},
                [](auto t, const Given& g, const Way& w) { return averages<decltype(t)>(g, w); });
  making.plain().outputs().rows().downgrades({"x"});
  return slips(making)
      .rights({"by differences", "fused", "by blocks"})
      .wrongs({"weights swapped", "0.99 is kept", "nothing decays", "kept in bfloat16",
               "kept in float16", "what is carried does not decay", "from the end", "rows run on",
               "starts from 0", "blocks of 64 start anew", "corrected at the start"})
      .done();
}

// Range searched for the largest so far of each row: x[5, 200].
inline std::pair<N, N> looked_at(N i, const Way& way) {
  const N t = i % 200, row = i - t;
  if (way.is("blocks of 64 stand alone")) return {row + t / 64 * 64, i + 1};
  if (way.is("without itself") && t > 0) return {row, i};
  if (way.is("from the end")) return {i, row + 200};
  if (way.is("of the whole row")) return {row, row + 200};
  return {way.is("rows run on") ? 0 : row, i + 1};
}

template <class T>
Made largest_so_far(const Given& g, const Way& way) {
  std::vector<T> x = all_of<T>(g, "x");
  if (way.is("by absolute value"))
    for (T& v : x) v = std::fabs(v);
  Made out(1);
  for (N i = 0; i < x.size(); ++i) {
    const auto [first, end] = looked_at(i, way);
    const auto at = [&](N k) { return x.begin() + static_cast<long>(k); };
    T best = x[first];
    if (way.is("read backwards"))
      for (N k = end; k-- > first;) best = x[k] > best ? x[k] : best;
    else if (way.is("by halves"))
      best = std::max(*std::max_element(at(first), at(first + (end - first + 1) / 2)),
                      *std::max_element(at(first + (end - first) / 2), at(end)));
    else if (way.is("the least"))
      best = *std::min_element(at(first), at(end));
    else
      for (N k = first; k < end; ++k) best = std::max(best, x[k]);
    out[0].push_back(best);
  }
  return out;
}

inline HeldOut running_largest() {
  const DType dtype = DType::float16;
  Task task{"largest so far",
            "cummax",
            dtype,
            {{"M", 5}, {"L", 200}},
            {{"x", tensor({"M", "L"}, dtype)}},
            {{"y", tensor({"M", "L"}, dtype)}},
            "def run(x):\n    values, places = torch.cummax(x, dim=1)\n    return values\n",
            {}};
  Making making(std::move(task), {{dtype, 200}}, [](auto t, const Given& g, const Way& w) {
    return largest_so_far<decltype(t)>(g, w);
  });
  making.plain().outputs().rows().rights({"read backwards", "by halves"});
  return making
      .wrongs({"blocks of 64 stand alone", "without itself", "from the end", "rows run on",
               "of the whole row", "the least", "by absolute value"})
      .wrong("x through float8", {.before = through("x", DType::float8_e4m3fn)})
      .wrong("added to what was there", {.after = each([](long double v) { return 2 * v; })})
      .done();
}

}  // namespace kbench::mutants::heldout
