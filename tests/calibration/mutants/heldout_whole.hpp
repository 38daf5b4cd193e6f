// Held out: arithmetic of integers and bools. Every element is right or wrong.
#pragma once

#include "calibration/mutants/heldout_making.hpp"

namespace kbench::mutants::heldout {

using Whole = std::function<std::int64_t(std::int64_t, std::int64_t)>;

// Op y[A, B, C] of a and b. Programs are functions here: integers have no rounding to vary.
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
  making.outputs().rows();
  if (w.output.dtype == DType::boolean) making.without({"the end holds what the start does"});
  return making.done();
}

// Products scaled back, halves up, saturated to int8.
inline HeldOut requantised() {
  const auto clamp = [](std::int64_t v) { return std::clamp<std::int64_t>(v, -128, 127); };
  return whole_task(
      {"requantise to int8", DType::int16, DType::int8,
       "(((a.to(torch.int32) * b.to(torch.int32) + 2048) >> 12) + 3).clamp(-128, "
       "127).to(torch.int8)"},
      {{"in 64 bits", [=](auto a, auto b) { return clamp(((a * b + 2048) >> 12) + 3); }},
       {"by floor",
        [=](auto a, auto b) {
          return clamp(
              static_cast<std::int64_t>(std::floor((static_cast<double>(a * b) + 2048) / 4096)) +
              3);
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
        [=](auto a, auto b) {
          return std::max<std::int64_t>(-127, clamp(((a * b + 2048) >> 12) + 3));
        }},
       {"products in 16 bits",
        [=](auto a, auto b) {
          return clamp(((static_cast<std::int16_t>(a * b) + 2048) >> 12) + 3);
        }},
       {"shifted by 11", [=](auto a, auto b) { return clamp(((a * b + 1024) >> 11) + 3); }}});
}

inline HeldOut averaged_int16() {
  const auto wrap = [](std::int64_t v) { return std::int64_t{static_cast<std::int16_t>(v)}; };
  return whole_task(
      {"int16 that wraps", DType::int16, DType::int16, "a * 97 - (b << 3) + (a & b)"},
      {{"in 16 bits", [=](auto a, auto b) { return wrap(wrap(a * 97) - wrap(b * 8) + (a & b)); }},
       {"in 64 bits", [=](auto a, auto b) { return wrap(a * 97 - b * 8 + (a & b)); }},
       {"by another identity",
        [=](auto a, auto b) { return wrap(a * 96 - b * 7 - (a | b) + 2 * a); }}},
      {{"saturates",
        [](auto a, auto b) {
          return std::clamp<std::int64_t>(a * 97 - b * 8 + (a & b), -32768, 32767);
        }},
       {"or for and", [=](auto a, auto b) { return wrap(a * 97 - b * 8 + (a | b)); }},
       {"shifted by 2", [=](auto a, auto b) { return wrap(a * 97 - b * 4 + (a & b)); }},
       {"b without sign", [=](auto a, auto b) { return wrap(a * 97 - std::abs(b) * 8 + (a & b)); }},
       {"through float16",
        [=](auto a, auto b) {
          const float v = static_cast<float>(wrap(a * 97 - b * 8 + (a & b)));
          return wrap(static_cast<std::int64_t>(rounded(DType::float16, v)));
        }},
       {"wrong where a is negative and odd",
        [=](auto a, auto b) {
          return wrap(a * 97 - b * 8 + (a & b) + (a < 0 && (a & 1) ? 1 : 0));
        }},
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
       {"in halves",
        [=](auto a, auto b) {
          const auto v = static_cast<std::uint64_t>(a) * (factor & 0xffffffffU) +
                         ((static_cast<std::uint64_t>(a) * (factor >> 32)) << 32) +
                         static_cast<std::uint64_t>(b);
          return static_cast<std::int64_t>(v ^ (v >> 17));
        }},
       {"b first, the factor in two",
        [=](auto a, auto b) {
          const auto u = static_cast<std::uint64_t>(a);
          const auto v = static_cast<std::uint64_t>(b) + u * (factor - 1) + u;
          return static_cast<std::int64_t>(v ^ (v >> 17));
        }}},
      {{"a signed shift",
        [=](auto a, auto b) {
          const auto v = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * factor +
                                                   static_cast<std::uint64_t>(b));
          return v ^ (v >> 17);
        }},
       {"the low half", [=](auto a, auto b) { return mixed(a, b) & 0xffffffff; }},
       {"through double",
        [=](auto a, auto b) {
          return static_cast<std::int64_t>(static_cast<double>(mixed(a, b)));
        }},
       {"one bit", [=](auto a, auto b) { return mixed(a, b) ^ (std::int64_t{1} << 3); }},
       {"the lowest bit where b is 0 of 16",
        [=](auto a, auto b) { return mixed(a, b) ^ (b % 16 == 0 ? 1 : 0); }},
       {"a and b swapped", [=](auto a, auto b) { return mixed(b, a); }},
       {"shifted by 16",
        [=](auto a, auto b) {
          const auto v = static_cast<std::uint64_t>(a) * factor + static_cast<std::uint64_t>(b);
          return static_cast<std::int64_t>(v ^ (v >> 16));
        }},
       {"b as 8 bits", [=](auto a, auto b) { return mixed(a, b & 0xff); }}});
}

// Keys that a query may see: up to itself, and no further back than a window, or a sink. Dropped: a
// sink that is causal.
struct Window {
  std::int64_t length = 300, sink = -900;
  bool causal = true;
};

inline std::int64_t seen(const Window& w, std::int64_t q, std::int64_t k) {
  const bool behind = !w.causal || k <= q;
  return (behind && q - k < w.length) || k < w.sink ? 1 : 0;
}

inline HeldOut window_mask() {
  const auto with = [](const Window& w) {
    return [w](std::int64_t a, std::int64_t b) { return seen(w, a, b); };
  };
  return whole_task(
      {"window mask", DType::int32, DType::boolean, "((b <= a) & (a - b < 300)) | (b < -900)"},
      {{"as written", with({})},
       {"by the difference",
        [](auto a, auto b) { return static_cast<std::uint64_t>(a - b) <= 299 || b <= -901; }}},
      {{"not causal", with({.causal = false})},
       {"no window", with({.length = 10000})},
       {"no sink", with({.sink = -10000})},
       {"a window of 320", with({.length = 320})},
       {"inverted", [=](auto a, auto b) { return 1 - seen({}, a, b); }},
       {"queries and keys swapped", [=](auto a, auto b) { return seen({}, b, a); }},
       {"unsigned difference", [](auto a, auto b) { return std::abs(a - b) < 300 || b < -900; }}});
}

}  // namespace kbench::mutants::heldout
