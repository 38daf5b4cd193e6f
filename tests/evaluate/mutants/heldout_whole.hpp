// Held out: arithmetic of integers and bools. Every element is right or wrong.
#pragma once

#include "evaluate/mutants/heldout_making.hpp"

namespace kbench::mutants::heldout {

using Whole = std::function<std::int64_t(std::int64_t, std::int64_t)>;

// y[A, B, C] of a and b. Programs are functions here: integers have no rounding to vary.
struct Wholes {
  Task task;
  Output output;

  Wholes(const std::string& name, DType in, DType out, const std::string& expression)
      : task{name,
             "elementwise",
             out,
             {{"A", 5}, {"B", 17}, {"C", 11}},
             {{"a", tensor({"A", "B", "C"}, in)}, {"b", tensor({"A", "B", "C"}, in)}},
             {{"y", tensor({"A", "B", "C"}, out)}},
             "def run(a, b):\n    return " + expression + "\n",
             {}},
        output{out, 11} {}

  Making of(const Whole& f) const {
    return {task, {output}, [f](auto, const Given& g, const Way&) {
              const auto &a = g.integers.at("a"), &b = g.integers.at("b");
              Made made(1);
              for (std::size_t i = 0; i < a.size(); ++i) made[0].push_back(f(a[i], b[i]));
              return made;
            }};
  }
};

inline HeldOut whole_task(const Wholes& w, const std::vector<std::pair<std::string, Whole>>& right,
                          const std::vector<std::pair<std::string, Whole>>& wrong) {
  Making making = w.of(right.front().second);
  for (const auto& [name, f] : right) {
    Making other = w.of(f);
    making.held.task.programs.push_back(other.right(name).held.task.programs.back());
  }
  for (const auto& [name, f] : wrong) {
    Making other = w.of(f);
    making.held.task.programs.push_back(other.wrong(name).held.task.programs.back());
  }
  return making.outputs().rows().done();
}

// Products scaled back, halves up, saturated to int8.
inline HeldOut requantised() {
  const auto clamp = [](std::int64_t v) { return std::clamp<std::int64_t>(v, -128, 127); };
  return whole_task(
      {"requantise to int8", DType::int16, DType::int8,
       "(((a.to(torch.int32) * b.to(torch.int32) + 2048) >> 12) + 3).clamp(-128, 127).to(torch.int8)"},
      {{"in 64 bits", [=](auto a, auto b) { return clamp(((a * b + 2048) >> 12) + 3); }},
       {"by floor", [=](auto a, auto b) {
          return clamp(static_cast<std::int64_t>(
                           std::floor((static_cast<double>(a * b) + 2048) / 4096)) + 3);
        }},
       {"the zero point before the shift",
        [=](auto a, auto b) { return clamp((a * b + 2048 + 3 * 4096) >> 12); }}},
      {{"no rounding", [=](auto a, auto b) { return clamp((a * b >> 12) + 3); }},
       {"divided, not shifted", [=](auto a, auto b) { return clamp((a * b + 2048) / 4096 + 3); }},
       {"no zero point", [=](auto a, auto b) { return clamp((a * b + 2048) >> 12); }},
       {"wraps", [](auto a, auto b) { return ((a * b + 2048) >> 12) + 3; }},
       {"saturates before the zero point",
        [=](auto a, auto b) { return clamp((a * b + 2048) >> 12) + 3; }},
       {"saturates at -127",
        [=](auto a, auto b) { return std::max<std::int64_t>(-127, clamp(((a * b + 2048) >> 12) + 3)); }},
       {"products in 16 bits",
        [=](auto a, auto b) { return clamp(((static_cast<std::int16_t>(a * b) + 2048) >> 12) + 3); }},
       {"shifted by 11", [=](auto a, auto b) { return clamp(((a * b + 1024) >> 11) + 3); }}});
}

inline HeldOut averaged_int16() {
  const auto wrap = [](std::int64_t v) { return std::int64_t{static_cast<std::int16_t>(v)}; };
  return whole_task(
      {"int16 that wraps", DType::int16, DType::int16, "a * 97 - (b << 3) + (a & b)"},
      {{"in 16 bits", [=](auto a, auto b) { return wrap(wrap(a * 97) - wrap(b * 8) + (a & b)); }},
       {"in 64 bits", [=](auto a, auto b) { return wrap(a * 97 - b * 8 + (a & b)); }},
       {"by another identity", [=](auto a, auto b) { return wrap(a * 96 - b * 7 - (a | b) + 2 * a); }}},
      {{"saturates", [](auto a, auto b) { return std::clamp<std::int64_t>(a * 97 - b * 8 + (a & b), -32768, 32767); }},
       {"or for and", [=](auto a, auto b) { return wrap(a * 97 - b * 8 + (a | b)); }},
       {"shifted by 2", [=](auto a, auto b) { return wrap(a * 97 - b * 4 + (a & b)); }},
       {"b without sign", [=](auto a, auto b) { return wrap(a * 97 - std::abs(b) * 8 + (a & b)); }},
       {"through float16", [=](auto a, auto b) {
          const float v = static_cast<float>(wrap(a * 97 - b * 8 + (a & b)));
          return wrap(static_cast<std::int64_t>(rounded(DType::float16, v)));
        }},
       {"wrong where a is negative and odd",
        [=](auto a, auto b) { return wrap(a * 97 - b * 8 + (a & b) + (a < 0 && (a & 1) ? 1 : 0)); }},
       {"added, not subtracted", [=](auto a, auto b) { return wrap(a * 97 + b * 8 + (a & b)); }},
       {"times 96", [=](auto a, auto b) { return wrap(a * 96 - b * 8 + (a & b)); }}});
}

inline HeldOut hashed_int64() {
  constexpr std::uint64_t factor = 6364136223846793005U;
  const auto mixed = [](std::int64_t a, std::int64_t b) {
    const auto v = static_cast<std::uint64_t>(a) * factor + static_cast<std::uint64_t>(b);
    return static_cast<std::int64_t>(v ^ (v >> 17 & 0x7fffffffffffU));
  };
  return whole_task(
      {"int64 hash", DType::int64, DType::int64,
       "(a * 6364136223846793005 + b) ^ (((a * 6364136223846793005 + b) >> 17) & 140737488355327)"},
      {{"in unsigned words", mixed},
       {"in halves", [=](auto a, auto b) {
          const auto v = static_cast<std::uint64_t>(a) * (factor & 0xffffffffU) +
                         ((static_cast<std::uint64_t>(a) * (factor >> 32)) << 32) +
                         static_cast<std::uint64_t>(b);
          return static_cast<std::int64_t>(v ^ (v >> 17));
        }},
       {"b first, the factor in two", [=](auto a, auto b) {
          const auto u = static_cast<std::uint64_t>(a);
          const auto v = static_cast<std::uint64_t>(b) + u * (factor - 1) + u;
          return static_cast<std::int64_t>(v ^ (v >> 17));
        }}},
      {{"a signed shift", [=](auto a, auto b) {
          const auto v = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * factor + static_cast<std::uint64_t>(b));
          return v ^ (v >> 17);
        }},
       {"the low half", [=](auto a, auto b) { return mixed(a, b) & 0xffffffff; }},
       {"through double", [=](auto a, auto b) { return static_cast<std::int64_t>(static_cast<double>(mixed(a, b))); }},
       {"one bit", [=](auto a, auto b) { return mixed(a, b) ^ (std::int64_t{1} << 3); }},
       {"the lowest bit where b is 0 of 16", [=](auto a, auto b) { return mixed(a, b) ^ (b % 16 == 0 ? 1 : 0); }},
       {"a and b swapped", [=](auto a, auto b) { return mixed(b, a); }},
       {"shifted by 16", [=](auto a, auto b) {
          const auto v = static_cast<std::uint64_t>(a) * factor + static_cast<std::uint64_t>(b);
          return static_cast<std::int64_t>(v ^ (v >> 16));
        }},
       {"b as 8 bits", [=](auto a, auto b) { return mixed(a, b & 0xff); }}});
}

// Which key a query may see: behind it, and no further than a window, or a sink.
inline HeldOut window_mask() {
  const auto seen = [](std::int64_t q, std::int64_t k) { return (k <= q && q - k < 300) || k < -900; };
  return whole_task(
      {"window mask", DType::int32, DType::boolean, "((b <= a) & (a - b < 300)) | (b < -900)"},
      {{"as written", seen},
       {"true is 255", [=](auto a, auto b) { return seen(a, b) ? 255 : 0; }},
       {"by the difference",
        [](auto a, auto b) { return (a - b >= 0 && a - b <= 299) || b <= -901; }}},
      {{"not causal", [](auto a, auto b) { return a - b < 300 || b < -900; }},
       {"no window", [](auto a, auto b) { return b <= a || b < -900; }},
       {"no sink", [](auto a, auto b) { return b <= a && a - b < 300; }},
       {"a window of 320", [](auto a, auto b) { return (b <= a && a - b < 320) || b < -900; }},
       {"inverted", [=](auto a, auto b) { return !seen(a, b); }},
       {"the sink is causal", [](auto a, auto b) { return b <= a && (a - b < 300 || b < -900); }},
       {"queries and keys swapped", [=](auto a, auto b) { return seen(b, a); }},
       {"unsigned difference", [](auto a, auto b) { return std::abs(a - b) < 300 || b < -900; }}});
}

// Counts: how many of ids are which modulo 17.
inline HeldOut histogram() {
  const auto body = [](auto, const Given& g, const Way& way) {
    Made out{Values(17)};
    const auto& ids = g.integers.at("ids");
    const std::size_t n = ids.size();
    for (std::size_t i = way.is("the first is skipped") ? 1 : 0; i < n; ++i) {
      if (way.is("the last partial block is dropped") && i >= n / 256 * 256) break;
      if (way.is("updates lost between warps") && i % 97 == 96) continue;
      if (way.is("every other, doubled") && i % 2 == 1) continue;
      std::int64_t at = ((ids[i] % 17) + 17) % 17;
      if (way.is("negative ones as in C")) at = std::abs(ids[i] % 17);
      if (way.is("modulo 16")) at = ids[i] & 15;
      const long double by = way.is("every other, doubled") ? 2 : 1;
      long double& count = out[0][static_cast<std::size_t>(at)];
      count += by;
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
      .right("in words of 64 bits")
      .outputs()
      .wrongs({"the first is skipped", "the last partial block is dropped",
               "updates lost between warps", "every other, doubled", "negative ones as in C",
               "modulo 16", "counts of 7 bits", "prefix sums"})
      .done();
}

// Where each kept token goes: an exclusive prefix sum of a mask, -1 for those that are not kept.
inline HeldOut compaction() {
  const auto body = [](auto, const Given& g, const Way& way) {
    const Floats& keep = g["keep"];
    Made out(1);
    std::int64_t count = 0;
    for (std::size_t i = 0; i < keep.size(); ++i) {
      const std::size_t c = i % 301;
      if (c == 0 && !way.is("rows run on")) count = 0;
      if (way.is("a block starts anew") && c % 128 == 0) count = 0;
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
      .right("in words of 32 bits")
      .outputs()
      .rows()
      .wrongs({"rows run on", "a block starts anew", "the others are kept", "inclusive",
               "0 for those not kept", "places for all", "all are counted", "counts of 7 bits"})
      .done();
}

// Whether any of a row is beyond a bound; the row's outliers are rare.
inline HeldOut any_beyond() {
  const auto body = [](auto, const Given& g, const Way& way) {
    const Floats& x = g["x"];
    Made out(1);
    for (std::size_t r = 0; r < 90; ++r) {
      bool some = false, all = true;
      const std::size_t n = way.is("the last partial tile is dropped") ? 32 : 45;
      for (std::size_t c = 0; c < n; ++c) {
        const float v = way.is("signed") ? x[r * 45 + c] : std::fabs(x[r * 45 + c]);
        const bool beyond = v > (way.is("a bound of 2") ? 2.0F : 2.25F);
        some = way.is("the last decides") ? beyond : some || beyond;
        all = all && beyond;
      }
      if (way.is("all, not any")) some = all;
      out[0].push_back(some != way.is("none, not any") ? 1 : 0);
    }
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
      .right("true is 255", {.after = each([](long double v) { return v * 255; })})
      .wrongs({"signed", "a bound of 2", "the last decides", "all, not any", "none, not any",
               "always", "never", "the last partial tile is dropped"})
      .wrong("the row before", {.before = rolled("x", std::size_t{89} * 45)})
      .done();
}

}  // namespace kbench::mutants::heldout
