// Held out: counts, places and flags.
#pragma once

#include "calibration/mutants/heldout_making.hpp"

namespace kbench::mutants::heldout {

// Bin of an id: ids are counted modulo 17.
inline std::size_t bin_of(std::int64_t id, const Way& way) {
  std::int64_t at = ((id % 17) + 17) % 17;
  if (way.is("negative ones as in C")) at = std::abs(id % 17);
  if (way.is("modulo 16")) at = id & 15;
  return static_cast<std::size_t>(at);
}

inline int times_counted(std::size_t i, std::size_t n, const Way& way) {
  if (way.is("the first is skipped") && i == 0) return 0;
  if (way.is("the last partial block is dropped") && i >= n / 256 * 256) return 0;
  if (way.is("updates lost between warps") && i % 97 == 96) return 0;
  return way.is("every other, doubled") ? (i % 2 == 0 ? 2 : 0) : 1;
}

inline HeldOut histogram() {
  const auto body = [](auto, const Given& g, const Way& way) {
    Made out{Values(17)};
    const auto& ids = g.integers.at("ids");
    for (std::size_t i = 0; i < ids.size(); ++i) {
      long double& count = out[0][bin_of(ids[i], way)];
      count += times_counted(i, ids.size(), way);
      if (way.is("counts of 7 bits") && count > 127) count -= 128;
    }
    if (way.is("prefix sums"))
      for (std::size_t k = 1; k < 17; ++k) out[0][k] += out[0][k - 1];
    return out;
  };
  Task task{"histogram",
            "histogram",
            DType::int32,
            {{"N", 3001}, {"K", 17}},
            {{"ids", tensor({"N"}, DType::int32)}, {"bins", tensor({"K"}, DType::int32)}},
            {{"y", tensor({"K"}, DType::int32)}},
            "def run(ids, bins):\n    k = torch.arange(bins.shape[0])\n"
            "    return (torch.remainder(ids, 17).unsqueeze(1) == k).sum(0).to(torch.int32)\n",
            {}};
  Making making(std::move(task), {{DType::int32, 17}}, body);
  return making.plain()
      .right("in float32", {.after = results_through(DType::float32)})
      .outputs()
      .wrongs({"the first is skipped", "the last partial block is dropped",
               "updates lost between warps", "every other, doubled", "negative ones as in C",
               "modulo 16", "counts of 7 bits", "prefix sums"})
      .done();
}

// Places of the kept tokens: an exclusive prefix sum of a mask, -1 for those that are not kept.
inline HeldOut compaction() {
  const auto starts_anew = [](std::size_t i, const Way& way) {
    if (i % 301 == 0) return !way.is("rows run on");
    return way.is("a block starts anew") && i % 301 % 128 == 0;
  };
  const auto body = [=](auto, const Given& g, const Way& way) {
    const Floats& keep = g["keep"];
    Made out(1);
    std::int64_t count = 0;
    for (std::size_t i = 0; i < keep.size(); ++i) {
      if (starts_anew(i, way)) count = 0;
      const bool kept = (keep[i] != 0) != way.is("the others are kept");
      const std::int64_t at = count + (way.is("inclusive") ? 1 : 0);
      const std::int64_t none = way.is("0 for those not kept") ? 0 : -1;
      out[0].push_back(kept || way.is("places for all") ? at : none);
      if (kept || way.is("all are counted")) ++count;
      if (way.is("counts of 7 bits")) count &= 127;
    }
    return out;
  };
  Task task{"places of kept tokens",
            "cumsum",
            DType::int64,
            {{"M", 4}, {"N", 301}},
            {{"keep", tensor({"M", "N"}, DType::boolean)}},
            {{"y", tensor({"M", "N"}, DType::int64)}},
            "def run(keep):\n    n = keep.to(torch.int64)\n"
            "    return torch.where(keep, torch.cumsum(n, dim=1) - 1, -1)\n",
            {}};
  Making making(std::move(task), {{DType::int64, 301}}, body);
  return making.plain()
      .right("in float32", {.after = results_through(DType::float32)})
      .outputs()
      .wrongs({"rows run on", "a block starts anew", "the others are kept", "inclusive",
               "0 for those not kept", "places for all", "all are counted", "counts of 7 bits"})
      .done();
}

// Tells whether any of a row is beyond a bound; the row's outliers are rare.
inline bool any_beyond(std::span<const float> x, const Way& way) {
  const float bound = way.is("a bound of 2") ? 2.0F : 2.25F;
  const std::size_t n = way.is("the last partial tile is dropped") ? 32 : x.size();
  bool some = false, all = true;
  for (const float given : x.first(n)) {
    const bool beyond = (way.is("signed") ? given : std::fabs(given)) > bound;
    some = way.is("the last decides") ? beyond : some || beyond;
    all = all && beyond;
  }
  return way.is("all, not any") ? all : some;
}

inline HeldOut outliers() {
  const auto body = [](auto, const Given& g, const Way& way) {
    Made out(1);
    for (std::size_t r = 0; r < 90; ++r)
      out[0].push_back(any_beyond(row(g["x"], r, 45), way) != way.is("none, not any") ? 1 : 0);
    if (way.is("always")) std::fill(out[0].begin(), out[0].end(), 1.0L);
    if (way.is("never")) std::fill(out[0].begin(), out[0].end(), 0.0L);
    return out;
  };
  Task task{"any beyond a bound",
            "reduction",
            DType::boolean,
            {{"M", 90}, {"N", 45}},
            {{"x", tensor({"M", "N"}, DType::float32)}},
            {{"y", tensor({"M"}, DType::boolean)}},
            "def run(x):\n    return (x.abs() > 2.25).any(-1)\n",
            {}};
  Making making(std::move(task), {{DType::boolean, 90}}, body);
  return making.plain()
      .wrongs({"signed", "a bound of 2", "the last decides", "all, not any", "none, not any",
               "always", "never", "the last partial tile is dropped"})
      .wrong("the row before", {.before = rolled("x", std::size_t{89} * 45)})
      .done();
}

}  // namespace kbench::mutants::heldout
