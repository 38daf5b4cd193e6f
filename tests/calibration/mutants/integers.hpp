// Integers, bools, choices of indices, and numbers rounded to codes.
#pragma once

#include <numeric>

#include "calibration/mutants/generic.hpp"

namespace kbench::mutants {

template <class T>
using Whole = std::function<T(std::int64_t a, std::int64_t b)>;

template <class T>
struct WholeTask {
  Task task;
  std::size_t count = 0;

  void add(const std::string& name, bool right, const Whole<T>& f) {
    task.programs.push_back({name, right, [f, n = count](const Given& given) {
                               const auto &a = given.integers.at("a"), &b = given.integers.at("b");
                               std::vector<T> out(n);
                               for (std::size_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
                               return Outputs{raw(out)};
                             }});
  }
};

template <class T>
WholeTask<T> whole_task(const std::string& name, DType in, DType out,
                        const std::string& expression) {
  return {{name,
           "elementwise",
           out,
           {{"M", 20}, {"N", 48}},
           {{"a", tensor({"M", "N"}, in)}, {"b", tensor({"M", "N"}, in)}},
           {{"y", tensor({"M", "N"}, out)}},
           "def run(a, b):\n    return " + expression + "\n",
           {}},
          std::size_t{20} * 48};
}

inline Task int64_products() {
  auto t = whole_task<std::int64_t>("int64 beyond 2^53", DType::int64, DType::int64,
                                    "a * 9007199254740993 + b");
  const std::int64_t factor = 9007199254740993;
  t.add("in int64", true, [=](auto a, auto b) { return a * factor + b; });
  t.add("by shifts", true, [](auto a, auto b) { return a * (std::int64_t{1} << 53) + (a + b); });
  t.add("through double", false, [=](auto a, auto b) {
    return static_cast<std::int64_t>(static_cast<double>(a) * static_cast<double>(factor) +
                                     static_cast<double>(b));
  });
  t.add("off by one", false, [=](auto a, auto b) { return a * factor + b + 1; });
  t.add("off by one where b is 7", false,
        [=](auto a, auto b) { return a * factor + b + (b % 64 == 7 ? 1 : 0); });
  t.add("the low half", false, [=](auto a, auto b) { return (a * factor + b) & 0xffffffff; });
  return std::move(t.task);
}

inline Task int32_products() {
  auto t = whole_task<std::int32_t>("int32 products", DType::int32, DType::int32, "a * b + a");
  t.add("in int32", true, [](auto a, auto b) { return static_cast<std::int32_t>(a * b + a); });
  t.add("factored", true, [](auto a, auto b) { return static_cast<std::int32_t>(a * (b + 1)); });
  t.add("through bfloat16", false, [](auto a, auto b) {
    return static_cast<std::int32_t>(rounded(DType::bfloat16, static_cast<float>(a * b + a)));
  });
  t.add("off by one", false,
        [](auto a, auto b) { return static_cast<std::int32_t>(a * b + a + 1); });
  t.add("b is not added to", false,
        [](auto a, auto b) { return static_cast<std::int32_t>(a * b); });
  t.add("cut to 16 bits", false, [](auto a, auto b) {
    return static_cast<std::int32_t>(static_cast<std::int16_t>(a * b + a));
  });
  add_generic(t.task, {DType::int32, 20, 48});
  return std::move(t.task);
}

inline Task int16_products() {
  auto t = whole_task<std::int16_t>("int16 that wraps", DType::int16, DType::int16, "a * b");
  t.add("wrapping", true, [](auto a, auto b) { return static_cast<std::int16_t>(a * b); });
  t.add("in 32 bits and cut", true, [](auto a, auto b) {
    return static_cast<std::int16_t>(static_cast<std::uint16_t>(static_cast<std::uint32_t>(a * b)));
  });
  t.add("saturating", false, [](auto a, auto b) {
    return static_cast<std::int16_t>(std::clamp<std::int64_t>(a * b, -32768, 32767));
  });
  t.add("the high part", false,
        [](auto a, auto b) { return static_cast<std::int16_t>(a * b >> 16); });
  t.add("unsigned in the middle", false,
        [](auto a, auto b) { return static_cast<std::int16_t>((a & 0xff) * b); });
  t.add("off by one where a is 5", false,
        [](auto a, auto b) { return static_cast<std::int16_t>(a * b + (a % 64 == 5 ? 1 : 0)); });
  add_generic(t.task, {DType::int16, 20, 48});
  return std::move(t.task);
}

inline Task int8_sums() {
  auto t = whole_task<std::int8_t>(
      "int8 that saturates", DType::int8, DType::int8,
      "(a.to(torch.int32) + b.to(torch.int32)).clamp(-128, 127).to(torch.int8)");
  t.add("in 32 bits", true, [](auto a, auto b) {
    return static_cast<std::int8_t>(std::clamp<std::int64_t>(a + b, -128, 127));
  });
  t.add("in float", true, [](auto a, auto b) {
    const float sum = static_cast<float>(a) + static_cast<float>(b);
    return static_cast<std::int8_t>(std::fmax(-128.0F, std::fmin(127.0F, sum)));
  });
  t.add("wrapping", false, [](auto a, auto b) { return static_cast<std::int8_t>(a + b); });
  t.add("from -127", false, [](auto a, auto b) {
    return static_cast<std::int8_t>(std::clamp<std::int64_t>(a + b, -127, 127));
  });
  t.add("unsigned", false, [](auto a, auto b) {
    return static_cast<std::int8_t>(std::clamp<std::int64_t>(a + b, 0, 255));
  });
  t.add("off by one where a is 5", false, [](auto a, auto b) {
    return static_cast<std::int8_t>(std::clamp<std::int64_t>(a + b + (a == 5 ? 1 : 0), -128, 127));
  });
  add_generic(t.task, {DType::int8, 20, 48});
  return std::move(t.task);
}

inline Task comparisons() {
  auto t = whole_task<std::uint8_t>("bools", DType::int8, DType::boolean, "(a > b) | (a == 3)");
  const auto right = [](std::int64_t a, std::int64_t b) { return a > b || a == 3; };
  t.add("as written", true, [=](auto a, auto b) { return right(a, b) ? 1 : 0; });
  t.add("true is 255", false, [=](auto a, auto b) { return right(a, b) ? 255 : 0; });
  t.add("also where b is greater by one", false,
        [](auto a, auto b) { return a >= b - 1 || a == 3 ? 1 : 0; });
  t.add("inverted", false, [=](auto a, auto b) { return right(a, b) ? 0 : 1; });
  t.add("always true", false, [](auto, auto) { return 1; });
  t.add("never true", false, [](auto, auto) { return 0; });
  t.add("signs ignored", false,
        [](auto a, auto b) { return std::abs(a) > std::abs(b) || a == 3 ? 1 : 0; });
  add_generic(t.task, {DType::boolean, 20, 48});
  return std::move(t.task);
}

struct Best {
  std::size_t skipped = 0;  // number of best ones that are passed over
  std::size_t unseen = 0;   // columns left out at the end
  std::int64_t offset = 0;
  bool lowest = false, last_tie = false, duplicates = false, first_row_only = false;
};

// Returns the k best indices of each row of logits[24, 500], best first.
inline std::vector<std::int64_t> best_of(const Given& given, std::size_t k, const Best& how) {
  constexpr std::size_t width = 500;
  std::vector<std::int64_t> out;
  for (std::size_t r = 0; r < 24; ++r) {
    const auto x = row(given["logits"], how.first_row_only ? 0 : r, width);
    std::vector<std::int64_t> order(width - how.unseen);
    std::iota(order.begin(), order.end(), 0);
    if (how.last_tie) std::reverse(order.begin(), order.end());
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
      const float left = x[static_cast<std::size_t>(a)], right = x[static_cast<std::size_t>(b)];
      return how.lowest ? left < right : left > right;
    });
    for (std::size_t i = 0; i < k; ++i) out.push_back(order[i + how.skipped] + how.offset);
    if (how.duplicates && k > 1) out.back() = out[out.size() - 2];
  }
  return out;
}

inline void add_choices(Task& task, std::size_t k,
                        const std::function<Bytes(std::vector<std::int64_t>)>& as) {
  const auto add = [&](const std::string& name, bool right, const Best& how) {
    task.programs.push_back(
        {name, right, [=](const Given& given) { return Outputs{as(best_of(given, k, how))}; }});
  };
  add("the first of equals", true, {});
  add("the last of equals", true, {.last_tie = true});
  add("the next best", false, {.skipped = 1});
  add("the next index", false, {.offset = 1});
  add("the one before", false, {.offset = -1});
  add("the last 100 columns are not seen", false, {.unseen = 100});
  add("the lowest", false, {.lowest = true});
  add("those of the first row", false, {.first_row_only = true});
  add("out of range", false, {.offset = 500});
  if (k > 1) add("one twice", false, {.duplicates = true});
}

inline Task argmax() {
  Task task{"argmax",
            "argmax",
            DType::int64,
            {{"M", 24}, {"N", 500}},
            {{"logits", tensor({"M", "N"}, DType::float32)}},
            {{"y", tensor({"M"}, DType::int64)}},
            "def run(logits):\n    return torch.argmax(logits, dim=-1)\n",
            {}};
  add_choices(task, 1, [](const auto& v) { return raw(v); });
  return task;
}

inline Task topk(DType in) {
  Task task{std::string("topk of ") + std::string(info(in).name),
            "topk",
            DType::int32,
            {{"M", 24}, {"N", 500}, {"K", 8}},
            {{"logits", tensor({"M", "N"}, in)}},
            {{"y", tensor({"M", "K"}, DType::int32)}},
            "def run(logits):\n    return torch.topk(logits, 8, dim=-1)[1].to(torch.int32)\n",
            {}};
  add_choices(task, 8,
              [](const auto& v) { return raw(std::vector<std::int32_t>(v.begin(), v.end())); });
  return task;
}

}  // namespace kbench::mutants
