// Third set: products of packed weights, of groups, of scaled blocks, of low rank, and windows.
#pragma once

#include "calibration/mutants/third_making.hpp"

namespace kbench::mutants::heldout {

// Weights of 4 bits in int8 with zeros and scales by group (AWQ): y[5, 22] of x[5, 256].
constexpr N awq_k = 256, awq_n = 22, awq_group = 64;

template <class T>
T nibble(const std::vector<std::int64_t>& w, N j, N k, const Way& way) {
  const N half = awq_k / 2;
  const bool halves = way.is("halves of a row");
  const bool high = halves ? k >= half : (k % 2 == 1) != way.is("nibbles swapped");
  const std::int64_t byte = w[j * half + (halves ? k % half : k / 2)];
  if (high && way.is("the high nibble keeps its sign")) return static_cast<T>(byte >> 4);
  return static_cast<T>((high ? byte >> 4 : byte) & 15);
}

template <class T>
Made packed_weights(const Given& g, const Way& way) {
  constexpr N groups = awq_k / awq_group;
  const Read<T> x{g["x"]}, scale{g["s"]};
  const auto &w = g.integers.at("w"), &z = g.integers.at("z");
  const N shift_z = way.is("the next group's zero") ? 1 : 0;
  const N shift_s = way.is("the next group's scale") ? 1 : 0;
  Made out(1);
  for (N id = 0; id < 5 * awq_n; ++id) {
    const N i = id / awq_n, j = id % awq_n;
    const auto group = [&](N k) {
      return way.is("groups of 32") ? k / 32 % groups : k / awq_group;
    };
    const auto zero = [&](N k) {
      const std::int64_t v = z[j * groups + (group(k) + shift_z) % groups];
      if (way.is("no zeros")) return T{0};
      return static_cast<T>(way.is("zeros with a sign") ? v : (v & 15) + way.is("zeros plus 1"));
    };
    const auto by = [&](N k) { return scale[j * groups + (group(k) + shift_s) % groups]; };
    const auto weight = [&](N k) {
      const T code = nibble<T>(w, j, k, way);
      if (way.is("the zero after the scale")) return code * by(k) - zero(k);
      const T v = (code - zero(k)) * by(k);
      return way.is("weights rounded to 16 bits") ? low(DType::float16, v) : v;
    };
    if (!way.is("zeros after the sum")) {
      out[0].push_back(dot<T>(way, id, awq_k, x.from(i * awq_k), weight));
      continue;
    }
    T sum = 0;
    for (N first = 0; first < awq_k; first += awq_group) {
      const auto mine = x.from(i * awq_k + first);
      const T codes =
          dot<T>(way, id, awq_group, mine, [&](N k) { return nibble<T>(w, j, first + k, way); });
      sum += by(first) * (codes - zero(first) * total<T>(way, id, awq_group, mine));
    }
    out[0].push_back(sum);
  }
  return out;
}

inline HeldOut packed_zeros() {
  const DType dtype = DType::float16;
  Task task{"4-bit weights with zeros",
            "quantized_gemm",
            dtype,
            {{"M", 5}, {"K", 256}, {"N", 22}, {"P", 128}, {"G", 4}},
            {{"x", tensor({"M", "K"}, dtype)},
             {"w", tensor({"N", "P"}, DType::int8)},
             {"s", tensor({"N", "G"}, dtype)},
             {"z", tensor({"N", "G"}, DType::int8)}},
            {{"y", tensor({"M", "N"}, dtype)}},
            "def run(x, w, s, z):\n"
            "    codes = torch.stack([w & 15, (w >> 4) & 15], dim=-1).flatten(1).float()\n"
            "    zeros = (z & 15).float().repeat_interleave(64, dim=1)\n"
            "    wide = (codes - zeros) * s.float().repeat_interleave(64, dim=1)\n"
            "    return (x.float() @ wide.T).to(x.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, awq_n}}, [](auto t, const Given& g, const Way& w) {
    return packed_weights<decltype(t)>(g, w);
  });
  making.sums().low_accumulator(dtype).cutting();
  return slips(making)
      .rights({"weights rounded to 16 bits", "zeros after the sum"})
      .wrongs({"halves of a row", "nibbles swapped", "the high nibble keeps its sign",
               "the next group's zero", "the next group's scale", "groups of 32", "no zeros",
               "zeros with a sign", "zeros plus 1", "the zero after the scale"})
      .done();
}

// Tokens by expert, some experts without any: y[13, 11] of x[13, 100].
struct Placed {
  N expert = 0, row = 0;
  bool lost = false;
};

// Returns each token's expert, and the row of y that its product goes to.
inline std::vector<Placed> placed(const std::vector<std::int64_t>& group, const Way& way) {
  std::vector<Placed> out(group.size());
  N place = 0, used = 0;
  for (N e = 0; e < 16; ++e) {
    const N start = place;
    N last = 0;
    for (N t = 0; t < group.size(); ++t) {
      if (group[t] != static_cast<std::int64_t>(e)) continue;
      const bool is_first = place == start;
      out[t] = {way.is("empty groups are passed over") ? used : e,
                way.is("rows stay sorted") ? place : t,
                (way.is("the first of a group is lost") && is_first) ||
                    (way.is("one token a group") && !is_first)};
      last = t;
      ++place;
    }
    if (place == start) continue;
    ++used;
    if (way.is("the last of a group by the next one's")) out[last].expert = (e + 1) % 16;
  }
  return out;
}

template <class T>
Made by_expert(const Given& g, const Way& way) {
  constexpr N width = 100, columns = 11;
  const Read<T> x{g["x"]}, w{g["w"]};
  const std::vector<Placed> places = placed(g.integers.at("group"), way);
  const bool turned = way.is("w the other way round");
  Made out{Values(places.size() * columns)};
  for (N id = 0; id < out[0].size(); ++id) {
    const N t = id / columns, j = id % columns, at = places[t].expert * columns * width;
    if (places[t].lost) continue;
    out[0][places[t].row * columns + j] =
        dot<T>(way, id, width, x.from(t * width),
               turned ? w.from(at + j, columns) : w.from(at + j * width));
  }
  return out;
}

inline HeldOut tokens_by_expert() {
  const DType dtype = DType::bfloat16;
  Task task{"groups with empty ones",
            "grouped_gemm",
            dtype,
            {{"T", 13}, {"K", 100}, {"E", 16}, {"N", 11}},
            {{"x", tensor({"T", "K"}, dtype)},
             {"w", tensor({"E", "N", "K"}, dtype)},
             {"group", tensor({"T"}, DType::int64)}},
            {{"y", tensor({"T", "N"}, dtype)}},
            "def run(x, w, group):\n"
            "    y = torch.zeros(x.shape[0], w.shape[1], dtype=torch.float32)\n"
            "    for e in range(w.shape[0]):\n"
            "        rows = torch.nonzero(group == e).squeeze(1)\n"
            "        y[rows] = x[rows].float() @ w[e].float().T\n    return y.to(x.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 11}},
                [](auto t, const Given& g, const Way& w) { return by_expert<decltype(t)>(g, w); });
  making.sums().outputs().low_accumulator(dtype);
  return slips(making)
      .wrongs({"empty groups are passed over", "the last of a group by the next one's",
               "rows stay sorted", "the first of a group is lost", "one token a group",
               "w the other way round"})
      .wrong("the next expert",
             {.before = on_integers("group", [](std::int64_t v, N) { return (v + 1) % 16; })})
      .wrong("the next token's expert", {.before = rolled_integers("group", 1)})
      .done();
}

// Product of float8 by float8 with scales of 64 terms and 16 columns; w's last block is partial.
template <class T>
Made scaled_blocks(const Given& g, const Way& way) {
  constexpr N k = 192, n = 40, block = 64;
  const Read<T> x{g["x"]}, w{g["w"]}, sx{g["sx"]}, sw{g["sw"]};
  Made out(1);
  for (N id = 0; id < 7 * n; ++id) {
    const N i = id / n, j = id % n;
    const auto scale = [&](N b) {
      N row = way.is("blocks of 8 columns") ? j / 8 % 3 : j / 16, next = b;
      if (way.is("the scales of w turned")) std::swap(row, next);
      if (way.is("the first block's scales")) b = next = 0;
      if (way.is("the next block's scale of x")) b = (b + 1) % 3;
      const T one = way.is("no scales of x") ? T{1} : sx[i * 3 + b];
      const T other = way.is("no scales of w") ? T{1} : sw[row * 3 + next];
      return way.is("divided by w's scale") ? one / other : one * other;
    };
    if (way.is("scaled after each block")) {
      T sum = 0;
      for (N b = 0; b < 3; ++b)
        sum +=
            scale(b) * dot<T>(way, id, block, x.from(i * k + b * block), w.from(j * k + b * block));
      out[0].push_back(sum);
      continue;
    }
    out[0].push_back(dot<T>(
        way, id, k, [&](N c) { return x[i * k + c] * scale(c / block); }, w.from(j * k)));
  }
  return out;
}

inline HeldOut float8_blocks() {
  const DType dtype = DType::bfloat16, code = DType::float8_e4m3fn;
  Task task{"scaled blocks of float8",
            "scaled_gemm",
            dtype,
            {{"M", 7}, {"K", 192}, {"N", 40}, {"B", 3}, {"C", 3}},
            {{"x", tensor({"M", "K"}, code)},
             {"w", tensor({"N", "K"}, code)},
             {"sx", tensor({"M", "B"}, DType::float32)},
             {"sw", tensor({"C", "B"}, DType::float32)}},
            {{"y", tensor({"M", "N"}, dtype)}},
            "def run(x, w, sx, sw):\n    a = x.float() * sx.repeat_interleave(64, dim=1)\n"
            "    s = sw.repeat_interleave(16, dim=0)[:40].repeat_interleave(64, dim=1)\n"
            "    return (a @ (w.float() * s).T).to(torch.bfloat16)\n",
            {}};
  Making making(std::move(task), {{dtype, 40}}, [](auto t, const Given& g, const Way& w) {
    return scaled_blocks<decltype(t)>(g, w);
  });
  making.sums().outputs().cutting().low_accumulator(dtype);
  return slips(making)
      .rights({"scaled after each block"})
      .wrongs({"blocks of 8 columns", "the scales of w turned", "the first block's scales",
               "the next block's scale of x", "no scales of x", "no scales of w",
               "divided by w's scale"})
      .wrong("w as float8_e5m2", {.before = through("w", DType::float8_e5m2)})
      .wrong("scales in float8", {.before = through("sx", DType::float8_e4m3fn)})
      .done();
}

// Factor of the second part of x w + 0.5 (x a) b with a of rank 6.
template <class T>
T alpha_of(const Way& way) {
  if (way.is("no low rank")) return 0;
  if (way.is("alpha of 1")) return 1;
  if (way.is("alpha twice")) return T{0.25};
  return way.is("alpha by rank") ? T{0.5} / 6 : T{0.5};
}

template <class T>
Made low_rank(const Given& g, const Way& way) {
  constexpr N k = 130, n = 21, rank = 6;
  const Read<T> x{g["x"]}, w{g["w"]}, a{g["a"]}, b{g["b"]};
  const bool rounds = way.is("both parts in 16 bits"), turned = way.is("b the other way round");
  const auto kept = [&](T v) { return rounds ? low(DType::float16, v) : v; };
  Made out(1);
  for (N i = 0; i < 9; ++i) {
    std::vector<T> h;
    for (N r = 0; r < rank; ++r) {
      const T v = dot<T>(way, i * rank + r, k, x.from(i * k), a.from(r * k));
      h.push_back(way.is("the low rank in 16 bits") ? low(DType::float16, v) : v);
    }
    if (way.is("the last rank is missing")) h.back() = 0;
    if (way.is("ranks from the end")) std::reverse(h.begin(), h.end());
    for (N j = 0; j < n; ++j) {
      const T y = dot<T>(way, i * n + j, k, x.from(i * k), w.from(j * k));
      const T more = dot<T>(
          {}, 0, rank, [&](N r) { return h[r]; }, turned ? b.from(j, n) : b.from(j * rank));
      out[0].push_back((way.is("only the low rank") ? T{0} : kept(y)) +
                       kept(alpha_of<T>(way) * more));
    }
  }
  return out;
}

inline HeldOut lora() {
  const DType dtype = DType::float16;
  Task task{"linear of low rank beside one",
            "lora",
            dtype,
            {{"M", 9}, {"K", 130}, {"N", 21}, {"R", 6}},
            {{"x", tensor({"M", "K"}, dtype)},
             {"w", tensor({"N", "K"}, dtype)},
             {"a", tensor({"R", "K"}, dtype)},
             {"b", tensor({"N", "R"}, dtype)}},
            {{"y", tensor({"M", "N"}, dtype)}},
            "def run(x, w, a, b):\n    f = x.float()\n"
            "    low = (f @ a.float().T) @ b.float().T\n"
            "    return (f @ w.float().T + 0.5 * low).to(x.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 21}},
                [](auto t, const Given& g, const Way& w) { return low_rank<decltype(t)>(g, w); });
  making.sums().rows().cutting();
  return slips(making)
      .rights({"the low rank in 16 bits", "both parts in 16 bits"})
      .wrongs({"alpha of 1", "alpha twice", "alpha by rank", "no low rank",
               "the last rank is missing", "ranks from the end", "only the low rank",
               "b the other way round"})
      .wrong("a of float8", {.before = through("a", DType::float8_e4m3fn)})
      .done();
}

// Tells whether i, j is in the lower triangle of x x^T / 75, x[37, 75].
inline bool in_triangle(N i, N j, const Way& way) {
  if (way.is("the upper triangle")) return j >= i;
  if (way.is("no diagonal")) return j < i;
  if (way.is("whole tiles on the diagonal")) return j / 16 <= i / 16;
  if (way.is("tiles on the diagonal are left out")) return j / 16 < i / 16;
  return j <= i || way.is("both triangles");
}

template <class T>
Made triangle(const Given& g, const Way& way) {
  constexpr N n = 37, k = 75;
  const Read<T> x{g["x"]};
  const T part = T{1} / k, root = std::sqrt(part);
  Made out(1);
  for (N id = 0; id < n * n; ++id) {
    const N i = id / n, j = id % n;
    T v = dot<T>(way, id, k, x.from(i * k), x.from(j * k));
    if (!in_triangle(i, j, way)) v *= way.is("a half in the other triangle") ? T{0.5} : T{0};
    if (i == j && way.is("the diagonal halved")) v /= 2;
    if (way.is("scaled before by a root"))
      v = v * root * root;
    else if (way.is("times the reciprocal"))
      v *= part;
    else if (!way.is("no scale"))
      v /= k;
    out[0].push_back(v);
  }
  return out;
}

inline HeldOut lower_triangle() {
  const DType dtype = DType::float32;
  Task task{"triangle of a Gram matrix",
            "syrk",
            dtype,
            {{"N", 37}, {"K", 75}},
            {{"x", tensor({"N", "K"}, dtype)}},
            {{"y", tensor({"N", "N"}, dtype)}},
            "def run(x):\n    return torch.tril(x @ x.T) / 75.0\n",
            {}};
  Making making(std::move(task), {{dtype, 37}},
                [](auto t, const Given& g, const Way& w) { return triangle<decltype(t)>(g, w); });
  making.sums().outputs().rows().downgrades({"x"}).low_sums(DType::bfloat16).flushing();
  return slips(making)
      .rights({"times the reciprocal", "scaled before by a root"})
      .wrongs({"the upper triangle", "no diagonal", "whole tiles on the diagonal",
               "tiles on the diagonal are left out", "both triangles",
               "a half in the other triangle", "the diagonal halved", "no scale"})
      .done();
}

// Product of int8 by int8 in int32, x with a zero of 3. Dropped: pairs that saturate in 16 bits.
inline std::int64_t product_of_bytes(const Given& g, N i, N j, const Way& way) {
  constexpr N k = 300;
  const auto &x = g.integers.at("x"), &w = g.integers.at("w");
  const std::int64_t zero = way.is("no zero") || way.is("the zero by sums of w") ? 0 : 3;
  std::int64_t sum = 0, all_w = 0;
  for (N c = 0; c < (way.is("the last partial tile is dropped") ? k / 32 * 32 : k); ++c) {
    const std::int64_t a = x[i * k + c], b = w[j * k + c];
    all_w += b;
    std::int64_t v = (a - zero) * b;
    if (way.is("x without its sign")) v = ((a & 255) - zero) * b;
    if (way.is("x less its zero in 8 bits")) v = static_cast<std::int8_t>(a - zero) * b;
    if (way.is("the zero is added")) v = (a + 3) * b;
    sum += v;
    if (way.is("sums in 16 bits")) sum = static_cast<std::int16_t>(sum);
    if (way.is("sums in float16")) sum = static_cast<std::int64_t>(low(DType::float16, sum * 1.0F));
  }
  return sum - (way.is("the zero by sums of w") ? 3 * all_w : 0);
}

inline HeldOut bytes_to_int32() {
  const auto body = [](auto, const Given& g, const Way& way) {
    Made out(1);
    for (N id = 0; id < 9 * 14; ++id) out[0].push_back(product_of_bytes(g, id / 14, id % 14, way));
    return out;
  };
  Task task{"int8 with a zero to int32",
            "int8_gemm",
            DType::int32,
            {{"M", 9}, {"K", 300}, {"N", 14}},
            {{"x", tensor({"M", "K"}, DType::int8)}, {"w", tensor({"N", "K"}, DType::int8)}},
            {{"y", tensor({"M", "N"}, DType::int32)}},
            "def run(x, w):\n    a = x.to(torch.int32) - 3\n"
            "    return a @ w.to(torch.int32).T\n",
            {}};
  Making making(std::move(task), {{DType::int32, 14}}, body);
  making.plain().outputs().rows();
  return slips(making)
      .rights({"the zero by sums of w"})
      .wrongs({"no zero", "the zero is added", "the last partial tile is dropped",
               "x without its sign", "x less its zero in 8 bits", "sums in 16 bits",
               "sums in float16"})
      .wrong("-128 read as -127",
             {.before = on_integers(
                  "w", [](std::int64_t v, N) { return std::max<std::int64_t>(v, -127); })})
      .done();
}

}  // namespace kbench::mutants::heldout
