// Held out: rows by index, choices, integers and bools.
#pragma once

#include <numeric>

#include "calibration/mutants/heldout_making.hpp"

namespace kbench::mutants::heldout {

// Mean of the rows table[ids[b, l]].
template <class T>
Made bags(const Given& given, const Way& way) {
  constexpr std::size_t length = 6, width = 25, vocabulary = 50;
  const Floats& table = given["table"];
  const auto& ids = given.integers.at("ids");
  Made out(1);
  for (std::size_t b = 0; b < ids.size() / length; ++b)
    for (std::size_t c = 0; c < width; ++c) {
      const T sum = total<T>(way, b, length, [&](std::size_t l) {
        const auto id = static_cast<std::size_t>(ids[b * length + l]);
        if (way.is("the table the other way round"))
          return static_cast<T>(table[(c * vocabulary + id) % table.size()]);
        return static_cast<T>(table[id * width + c]);
      });
      const T n = way.is("the sum") ? T{1} : static_cast<T>(way.is("divided by n - 1") ? 5 : 6);
      out[0].push_back(sum / n);
    }
  return out;
}

inline HeldOut embedding_bag(DType dtype) {
  Task task{"mean of embeddings",
            "embedding",
            dtype,
            {{"B", 9}, {"L", 6}, {"V", 50}, {"E", 25}},
            {{"ids", tensor({"B", "L"}, DType::int32)}, {"table", tensor({"V", "E"}, dtype)}},
            {{"y", tensor({"B", "E"}, dtype)}},
            "def run(ids, table):\n    return table[ids.long()].float().mean(1).to(table.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 25}},
                [](auto t, const Given& g, const Way& w) { return bags<decltype(t)>(g, w); });
  const auto ids = [](std::int64_t add, std::size_t first) {
    return on_integers(
        "ids", [=](std::int64_t v, std::size_t i) { return i % 6 < first ? v : (v + add) % 50; });
  };
  making.plain().outputs().rows().right("from the end", {.order = Order::backward});
  making.right("pairwise", {.order = Order::pairwise});
  making.wrongs({"the table the other way round", "the sum", "divided by n - 1"});
  making.wrong("the next id", {.before = ids(1, 0)});
  making.wrong("the last id is the next", {.before = ids(1, 5)});
  making.wrong("the first id for all", {.before = [](Given& g) {
                 auto& v = g.integers.at("ids");
                 for (std::size_t i = 0; i < v.size(); ++i) v[i] = v[i / 6 * 6];
               }});
  making.wrong("tiles overlap by one", {.order = Order::border_twice});
  if (dtype == DType::float32)
    making.downgrades({"table"});
  else
    making.cutting().wrong("table through float8",
                           {.before = through("table", DType::float8_e4m3fn)});
  return making.done();
}

// base[V, D] with src[N, D] added at ids[N]: atomics, in whatever order.
template <class T>
Made scattered(const Given& given, const Way& way) {
  constexpr std::size_t width = 7;
  const Floats& src = given["src"];
  const auto& ids = given.integers.at("ids");
  std::vector<T> y = all_of<T>(given, "base");
  if (way.is("base is not added to")) std::fill(y.begin(), y.end(), T{0});
  std::vector<bool> written(y.size());
  for (std::size_t step = 0; step < src.size(); ++step) {
    const std::size_t i = way.is("from the end") ? src.size() - 1 - step : step;
    const std::size_t at = static_cast<std::size_t>(ids[i / width]) * width + i % width;
    if (way.is("an update in nine is lost") && i / width % 9 == 4) continue;
    if (way.is("only the first of an id") && written[at]) continue;
    written[at] = true;
    if (way.is("the last one wins")) y[at] = 0;
    y[at] += (way.is("subtracted") ? T{-1} : T{1}) * static_cast<T>(src[i]);
    if (way.is("16-bit atomics")) y[at] = low(DType::bfloat16, y[at]);
  }
  return {Values(y.begin(), y.end())};
}

inline HeldOut scatter_add() {
  Task task{"scatter add",
            "scatter_add",
            DType::float32,
            {{"V", 12}, {"D", 7}, {"N", 201}},
            {{"base", tensor({"V", "D"}, DType::float32)},
             {"ids", tensor({"N"}, DType::int64)},
             {"src", tensor({"N", "D"}, DType::float32)}},
            {{"y", tensor({"V", "D"}, DType::float32)}},
            "def run(base, ids, src):\n    return base.index_add(0, ids, src)\n",
            {}};
  Making making(std::move(task), {{DType::float32, 7}},
                [](auto t, const Given& g, const Way& w) { return scattered<decltype(t)>(g, w); });
  return making.plain()
      .outputs()
      .rows()
      .downgrades({"src"})
      .rights({"from the end"})
      .wrongs({"base is not added to", "an update in nine is lost", "only the first of an id",
               "the last one wins", "subtracted", "16-bit atomics"})
      .wrong("the next id", {.before = on_integers(
                                 "ids", [](std::int64_t v, std::size_t) { return (v + 1) % 12; })})
      .done();
}

// The k best of each row, best first.
struct Choice {
  std::size_t n, k;
  bool with_values = true;
};

inline std::vector<std::size_t> ranked(std::span<const float> x, const Way& way) {
  std::vector<std::size_t> order(way.is("the last columns are not seen") ? x.size() / 64 * 64
                                                                         : x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (way.is("the last of equals first")) std::reverse(order.begin(), order.end());
  const auto key = [&](std::size_t i) {
    if (way.is("by absolute value")) return std::fabs(x[i]);
    if (way.is("by float8 keys")) return rounded(DType::float8_e4m3fn, x[i]);
    return way.is("the smallest") ? -x[i] : x[i];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  return order;
}

inline void wrong_choice(const Choice& d, const Way& way, std::vector<std::size_t>& best) {
  if (way.is("one twice")) best[d.k - 1] = best[d.k - 2];
  if (way.is("unsorted")) std::sort(best.begin(), best.begin() + static_cast<long>(d.k));
  if (way.is("worst first")) std::reverse(best.begin(), best.begin() + static_cast<long>(d.k));
  if (way.is("from the second best")) best.erase(best.begin());
  if (way.is("the last choice is the next best")) best[d.k - 1] = best[d.k];
}

template <class T>
Made chosen(const Choice& d, const Given& given, const Way& way) {
  const Floats& x = given["logits"];
  Made out(2);
  for (std::size_t r = 0; r < x.size() / d.n; ++r) {
    const auto mine = row(x, way.is("the first row for all") ? 0 : r, d.n);
    auto best = ranked(mine, way);
    wrong_choice(d, way, best);
    T sum = 0;
    for (std::size_t i = 0; i < (way.is("softmax of all") ? best.size() : d.k); ++i)
      sum += std::exp(static_cast<T>(mine[best[i]]) - static_cast<T>(mine[best[0]]));
    if (way.is("weights are not normalised")) sum = 1;
    for (std::size_t i = 0; i < d.k; ++i) {
      const T e = std::exp(static_cast<T>(mine[best[i]]) - static_cast<T>(mine[best[0]]));
      out[0].push_back(e / sum);
      out[1].push_back(static_cast<long double>(best[i]) + (way.is("counted from 1") ? 1 : 0));
    }
  }
  if (!d.with_values) out.erase(out.begin());
  return out;
}

inline Values pointed_at(const Choice& d, const Given& given, const Values& indices) {
  Values out;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const auto at = static_cast<std::int64_t>(indices[i]);
    bool good = at >= 0 && at < static_cast<std::int64_t>(d.n);
    for (std::size_t j = i / d.k * d.k; j < i; ++j) good = good && indices[j] != indices[i];
    out.push_back(good ? given["logits"][i / d.k * d.n + static_cast<std::size_t>(at)] : NAN);
  }
  return out;
}

// Routing of a mixture of experts: weights by a softmax over the chosen. The keys of float8 are a
// shortcut that swaps near ones; equal logits may come in any order.
inline HeldOut routing(DType in) {
  const Choice d{.n = 75, .k = 6};
  Task task{"routing",
            "topk",
            DType::int32,
            {{"T", 33}, {"E", 75}, {"K", 6}},
            {{"logits", tensor({"T", "E"}, in)}},
            {{"weights", tensor({"T", "K"}, DType::float32)},
             {"experts", tensor({"T", "K"}, DType::int32)}},
            "def run(logits):\n    best, experts = torch.topk(logits.float(), 6, dim=-1)\n"
            "    return torch.softmax(best, dim=-1), experts.to(torch.int32)\n",
            {}};
  const Output indices{DType::int32, d.k,
                       [d](const Given& g, const Values& v) { return pointed_at(d, g, v); }};
  Making making(std::move(task), {{DType::float32, d.k}, indices},
                [d]<class T>(T, const Given& g, const Way& w) { return chosen<T>(d, g, w); });
  return making.plain()
      .outputs()
      .rows()
      .rights({"the last of equals first"})
      .wrongs({"the last columns are not seen", "by absolute value", "by float8 keys",
               "the smallest", "one twice", "unsorted", "worst first", "from the second best",
               "the last choice is the next best", "softmax of all", "weights are not normalised",
               "counted from 1", "the first row for all"})
      .wrong("the result through bfloat16", {.after = results_through(DType::bfloat16)})
      .done();
}

// Dropped, as it is often right: by float8 keys.
inline HeldOut argmax_rows(DType in) {
  const Choice d{.n = 1003, .k = 1, .with_values = false};
  Task task{"argmax",
            "argmax",
            DType::int64,
            {{"A", 4}, {"B", 5}, {"V", 1003}},
            {{"logits", tensor({"A", "B", "V"}, in)}},
            {{"y", tensor({"A", "B"}, DType::int64)}},
            "def run(logits):\n    return torch.argmax(logits, dim=-1)\n",
            {}};
  const Output indices{DType::int64, 1,
                       [d](const Given& g, const Values& v) { return pointed_at(d, g, v); }};
  Making making(std::move(task), {indices},
                [d]<class T>(T, const Given& g, const Way& w) { return chosen<T>(d, g, w); });
  making.right("a plain loop").right("in double", {.in_double = true}).outputs();
  making.rights({"the last of equals first"});
  making.wrongs({"by absolute value", "the smallest", "from the second best", "counted from 1",
                 "the first row for all"});
  making.wrong("one before", {.after = each([](long double v) { return v - 1; })});
  making.wrong("index of the whole tensor", {.after = [](Made& made) {
                 for (std::size_t r = 0; r < made[0].size(); ++r)
                   made[0][r] += static_cast<long double>(r * 1003);
               }});
  return making.done();
}

}  // namespace kbench::mutants::heldout
