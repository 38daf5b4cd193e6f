// Third set: windows over lines and planes, and an optimiser's steps.
#pragma once

#include "calibration/mutants/third_making.hpp"

namespace kbench::mutants::heldout {

// Four taps of each channel, none of what comes later, then silu: x[2, 9, 37]. Returns the token
// that a tap reads, or what it takes for one before the first.
template <class T>
T tapped(const Read<T>& x, std::pair<N, std::int64_t> at, const Way& way) {
  const auto [i, back] = at;
  const N t = i % 37;
  const auto to = static_cast<std::int64_t>(t) - back;
  const auto first = static_cast<std::int64_t>(way.is("blocks of 16 start anew") ? t / 16 * 16 : 0);
  if (to >= 37) return 0;
  if (to < first && way.is("the border is repeated")) return x[i - t];
  if (to < first && !(way.is("rows run on") && i >= 37)) return 0;
  return x[static_cast<N>(static_cast<std::int64_t>(i) - back)];
}

template <class T>
T tap_result(T sum, const Way& way) {
  if (way.is("no silu")) return sum;
  if (way.is("a sigmoid alone")) return logistic(sum);
  if (way.is("silu by tanh")) return sum * (T{0.5} + T{0.5} * std::tanh(sum / 2));
  if (way.is("sum in 16 bits")) sum = low(DType::float16, sum);
  return sum * logistic(sum);
}

template <class T>
Made causal_taps(const Given& g, const Way& way) {
  constexpr N channels = 9, length = 37;
  const Read<T> x{g["x"]}, w{g["w"]}, b{g["b"]};
  const std::int64_t late = way.is("centred") ? 2 : way.is("one token early") ? 4 : 3;
  Made out(1);
  for (N i = 0; i < g["x"].size(); ++i) {
    const N c = i / length % channels;
    T sum = way.is("no bias") ? T{0} : b[c];
    for (N k = way.is("the first tap is missing") ? 1 : 0; k < 4; ++k) {
      const N n = way.is("added from the last tap") ? 3 - k : k;
      const N tap = way.is("taps turned round") ? 3 - n : n;
      sum += w[c * 4 + tap] * tapped(x, {i, late - static_cast<std::int64_t>(n)}, way);
    }
    out[0].push_back(tap_result(sum, way));
  }
  return out;
}

inline HeldOut causal_conv() {
  const DType dtype = DType::float16;
  Task task{"causal conv by channel",
            "causal_conv1d",
            dtype,
            {{"B", 2}, {"C", 9}, {"L", 37}, {"K", 4}},
            {{"x", tensor({"B", "C", "L"}, dtype)},
             {"w", tensor({"C", "K"}, dtype)},
             {"b", tensor({"C"}, dtype)}},
            {{"y", tensor({"B", "C", "L"}, dtype)}},
            "def run(x, w, b):\n    f = torch.nn.functional.pad(x.float(), [3, 0])\n"
            "    y = torch.nn.functional.conv1d(f, w.float().unsqueeze(1), b.float(), groups=9)\n"
            "    return torch.nn.functional.silu(y).to(x.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 37}}, [](auto t, const Given& g, const Way& w) {
    return causal_taps<decltype(t)>(g, w);
  });
  making.plain().rows().cutting();
  return slips(making)
      .rights({"added from the last tap", "silu by tanh", "sum in 16 bits"})
      .wrongs({"no bias", "blocks of 16 start anew", "the first tap is missing",
               "taps turned round", "centred", "one token early", "rows run on",
               "the border is repeated", "a sigmoid alone", "no silu"})
      .wrong("the next channel's taps", {.before = rolled("w", 4)})
      .done();
}

// x[2, 5, 9, 11] by w[4, 5, 3, 3] in steps of 2, with a border of 1.
struct Plane {
  N channels = 5, rows = 9, columns = 11, step = 2;
};

template <class T>
T pixel(const Plane& d, const Read<T>& x, N plane, std::pair<std::int64_t, std::int64_t> at,
        const Way& way) {
  auto [r, c] = at;
  const auto rows = static_cast<std::int64_t>(d.rows),
             columns = static_cast<std::int64_t>(d.columns);
  if (way.is("the border is repeated")) {
    r = std::clamp<std::int64_t>(r, 0, rows - 1);
    c = std::clamp<std::int64_t>(c, 0, columns - 1);
  }
  const bool beside = c < 0 || c >= columns;
  if (r < 0 || r >= rows || (beside && !way.is("columns run on"))) return 0;
  const std::int64_t i = static_cast<std::int64_t>(plane) * rows * columns + r * columns + c;
  return i < 0 || i >= static_cast<std::int64_t>(x.v.size()) ? T{0} : x[static_cast<N>(i)];
}

template <class T>
Made convolved(const Plane& d, const Given& g, const Way& way) {
  const Read<T> x{g["x"]}, w{g["w"]}, b{g["b"]};
  const std::int64_t border = way.is("no border before") ? 0 : 1;
  const N channels = way.is("the last channel is missing") ? d.channels - 1 : d.channels;
  Made out(1);
  for (N i = 0; i < 2 * 4 * 5 * 6; ++i) {
    const N n = i / 120, o = i / 30 % 4, r = i / 6 % 5, c = i % 6;
    const auto at = [&](N k) {
      const auto y = static_cast<std::int64_t>(r * d.step + k / 3 % 3) - border;
      const auto z = static_cast<std::int64_t>(c * d.step + k % 3) - border;
      const N plane = way.is("the first image for both") ? k / 9 : n * d.channels + k / 9;
      return pixel(d, x, plane, {y, z}, way);
    };
    const auto tap = [&](N k) {
      N in = k % 9;
      if (way.is("taps turned round")) in = 8 - in;
      if (way.is("taps transposed")) in = in % 3 * 3 + in / 3;
      return w[o * d.channels * 9 + k / 9 * 9 + in];
    };
    const T sum = dot<T>(way, i, channels * 9, at, tap);
    out[0].push_back(way.is("no bias") ? sum : sum + b[way.is("the first bias") ? 0 : o]);
  }
  return out;
}

inline HeldOut strided_conv() {
  const DType dtype = DType::bfloat16;
  Task task{
      "conv in steps of 2",
      "conv2d",
      dtype,
      {{"B", 2}, {"C", 5}, {"Y", 9}, {"X", 11}, {"O", 4}, {"K", 3}, {"P", 5}, {"Q", 6}},
      {{"x", tensor({"B", "C", "Y", "X"}, dtype)},
       {"w", tensor({"O", "C", "K", "K"}, dtype)},
       {"b", tensor({"O"}, dtype)}},
      {{"y", tensor({"B", "O", "P", "Q"}, dtype)}},
      "def run(x, w, b):\n    y = torch.nn.functional.conv2d(x.float(), w.float(), b.float(), "
      "stride=2, padding=1)\n    return y.to(x.dtype)\n",
      {}};
  Making making(std::move(task), {{dtype, 30}}, [](auto t, const Given& g, const Way& w) {
    return convolved<decltype(t)>(Plane{}, g, w);
  });
  making.sums().outputs().cutting();
  return slips(making)
      .wrongs({"no border before", "the last channel is missing", "the first image for both",
               "taps turned round", "taps transposed", "the border is repeated", "columns run on",
               "no bias", "the first bias"})
      .done();
}

// Largest of 3 by 3 in steps of 2, with a border that is never it: x[6, 9, 11]. Returns what a
// window of 3 by 3 holds: at the border less.
template <class T>
std::vector<T> window(const Read<T>& x, N i, const Way& way) {
  const Plane d{.channels = 1};
  const std::int64_t border = way.is("no border before") ? 0 : 1;
  std::vector<T> out;
  for (N k = 0; k < 9; ++k) {
    if (way.is("2 by 2") && (k / 3 == 2 || k % 3 == 2)) continue;
    if (way.is("the middle is left out") && k == 4) continue;
    const auto y = static_cast<std::int64_t>(i / 6 % 5 * 2 + k / 3) - border;
    const auto z = static_cast<std::int64_t>(i % 6 * 2 + k % 3) - border;
    const bool in = std::min(y, z) >= 0 && y < 9 && z < 11;
    if (in || way.is("the border is 0")) out.push_back(pixel(d, x, i / 30, {y, z}, way));
  }
  return out;
}

template <class T>
Made largest_near(const Given& g, const Way& way) {
  const Read<T> x{g["x"]};
  Made out(1);
  for (N i = 0; i < 6 * 5 * 6; ++i) {
    std::vector<T> v = window(x, i, way);
    if (way.is("by absolute value"))
      for (T& e : v) e = std::fabs(e);
    if (way.is("starts from 0")) v.push_back(0);
    if (way.is("from the end")) std::reverse(v.begin(), v.end());
    T best = v.front();
    for (const T e : v) best = e > best ? e : best;
    if (way.is("the least")) best = *std::min_element(v.begin(), v.end());
    if (way.is("the mean")) best = total<T>({}, 0, v.size(), [&](N k) { return v[k]; }) / 9;
    out[0].push_back(best);
  }
  return out;
}

inline HeldOut max_pool() {
  const DType dtype = DType::float16;
  Task task{
      "largest of windows",
      "pooling",
      dtype,
      {{"B", 2}, {"C", 3}, {"Y", 9}, {"X", 11}, {"P", 5}, {"Q", 6}},
      {{"x", tensor({"B", "C", "Y", "X"}, dtype)}},
      {{"y", tensor({"B", "C", "P", "Q"}, dtype)}},
      "def run(x):\n    y = torch.nn.functional.max_pool2d(x.float(), 3, stride=2, padding=1)\n"
      "    return y.to(x.dtype)\n",
      {}};
  Making making(std::move(task), {{dtype, 30}}, [](auto t, const Given& g, const Way& w) {
    return largest_near<decltype(t)>(g, w);
  });
  making.plain().outputs().rows();
  return slips(making)
      .rights({"from the end"})
      .wrongs({"starts from 0", "2 by 2", "the middle is left out", "no border before",
               "the border is 0", "by absolute value", "the least", "the mean"})
      .done();
}

// Rows and columns twice as many, from half pixels: x[4, 7, 5].
template <class T>
T source_place(N i, N length, const Way& way) {
  T v = (static_cast<T>(i) + T{0.5}) / 2 - T{0.5};
  if (way.is("corners aligned"))
    v = static_cast<T>(i) * static_cast<T>(length - 1) / static_cast<T>(2 * length - 1);
  if (way.is("no half pixels")) v = static_cast<T>(i) / 2;
  if (way.is("the nearest")) v = static_cast<T>(i / 2);
  return way.is("not held at the border") ? v : std::max(v, T{0});
}

template <class T>
T between(const std::array<T, 4>& v, T down, T right, const Way& way) {
  if (way.is("weights turned round")) down = T{1} - down, right = T{1} - right;
  if (way.is("only along rows")) down = 0;
  if (way.is("a smooth step")) down = down * down * (T{3} - 2 * down);
  const T up = T{1} - down, left = T{1} - right;
  const T top = v[0] + right * (v[1] - v[0]), bottom = v[2] + right * (v[3] - v[2]);
  if (way.is("by differences")) return top + down * (bottom - top);
  if (way.is("columns first"))
    return left * (up * v[0] + down * v[2]) + right * (up * v[1] + down * v[3]);
  return up * (left * v[0] + right * v[1]) + down * (left * v[2] + right * v[3]);
}

template <class T>
Made enlarged(const Given& g, const Way& way) {
  constexpr N rows = 7, columns = 5;
  const Read<T> x{g["x"]};
  const bool swaps = way.is("rows and columns swapped");
  Made out(1);
  for (N i = 0; i < 4 * 2 * rows * 2 * columns; ++i) {
    const N r = i / (2 * columns) % (2 * rows), c = i % (2 * columns);
    const N plane = i / (4 * rows * columns);
    const T y = source_place<T>(swaps ? c : r, rows, way);
    const T z = source_place<T>(swaps ? r % (2 * columns) : c, columns, way);
    const T y0 = std::max(std::floor(y), T{0}), z0 = std::max(std::floor(z), T{0});
    const auto at = [&](N down, N right) {
      const N u = std::min(static_cast<N>(y0) + down, rows - 1);
      return x[(plane * rows + u) * columns + std::min(static_cast<N>(z0) + right, columns - 1)];
    };
    out[0].push_back(between<T>({at(0, 0), at(0, 1), at(1, 0), at(1, 1)}, y - y0, z - z0, way));
  }
  return out;
}

inline HeldOut upsampled() {
  const DType dtype = DType::float32;
  Task task{"twice as large",
            "upsample",
            dtype,
            {{"B", 2}, {"C", 2}, {"Y", 7}, {"X", 5}, {"P", 14}, {"Q", 10}},
            {{"x", tensor({"B", "C", "Y", "X"}, dtype)}},
            {{"y", tensor({"B", "C", "P", "Q"}, dtype)}},
            "def run(x):\n    y = ((torch.arange(14).float() + 0.5) / 2.0 - 0.5).clamp(min=0.0)\n"
            "    z = ((torch.arange(10).float() + 0.5) / 2.0 - 0.5).clamp(min=0.0)\n"
            "    a = y.floor().long()\n    b = z.floor().long()\n"
            "    f = (y - a.float()).unsqueeze(1)\n    g = z - b.float()\n"
            "    rows = x[:, :, a] * (1.0 - f) + x[:, :, (a + 1).clamp(max=6)] * f\n"
            "    right = rows[:, :, :, (b + 1).clamp(max=4)]\n"
            "    return rows[:, :, :, b] * (1.0 - g) + right * g\n",
            {}};
  Making making(std::move(task), {{dtype, 140}},
                [](auto t, const Given& g, const Way& w) { return enlarged<decltype(t)>(g, w); });
  making.plain().outputs().downgrades({"x"}).flushing();
  return slips(making)
      .rights({"by differences", "columns first"})
      .wrongs({"corners aligned", "no half pixels", "the nearest", "not held at the border",
               "rows and columns swapped", "weights turned round", "only along rows",
               "a smooth step"})
      .done();
}

// Gradients a[21, 40] and b[33] clipped by one norm, no longer than 3 in all; and the norm.
template <class T>
Made clipped(const Given& g, const Way& way) {
  const Read<T> a{g["a"]}, b{g["b"]};
  T first = dot<T>(way, 0, 840, a.from(0), a.from(0));
  T second = dot<T>(way, 1, 33, b.from(0), b.from(0));
  if (way.is("b is left out")) second = 0;
  T norm = std::sqrt(first + second);
  if (way.is("norms added")) norm = std::sqrt(first) + std::sqrt(second);
  if (way.is("norm of norms by hypot")) norm = std::hypot(std::sqrt(first), std::sqrt(second));
  if (way.is("not rooted")) norm = first + second;
  if (way.is("the root of the mean")) norm = std::sqrt((first + second) / 873);
  T factor = T{3} / (norm + static_cast<T>(1e-6L));
  if (way.is("each by its own norm")) factor = T{3} / std::sqrt(first);
  if (way.is("a limit of 1")) factor /= 3;
  factor = way.is("scaled up too") ? factor * T{1.25F} : std::min(factor, T{1});
  if (way.is("not scaled")) factor = 1;
  Made out(2);
  for (N i = 0; i < 840; ++i) out[0].push_back(a[i] * factor);
  if (way.is("the norm after the cut")) norm *= factor;
  out[1].push_back(norm);
  return out;
}

inline HeldOut clipped_gradients() {
  const DType dtype = DType::float32;
  Task task{"gradients by their norm",
            "grad_clip",
            dtype,
            {{"M", 21}, {"N", 40}, {"K", 33}},
            {{"a", tensor({"M", "N"}, dtype)}, {"b", tensor({"K"}, dtype)}},
            {{"y", tensor({"M", "N"}, dtype)}, {"norm", tensor({}, dtype)}},
            "def run(a, b):\n    norm = (a.square().sum() + b.square().sum()).sqrt()\n"
            "    return a * (3.0 / (norm + 1e-6)).clamp(max=1.0), norm\n",
            {}};
  Making making(std::move(task), {{dtype, 840}, {dtype, 1}},
                [](auto t, const Given& g, const Way& w) { return clipped<decltype(t)>(g, w); });
  making.sums().outputs().low_sums(DType::float16);
  making.without({"a race loses partial sums", "16-bit partial sums"});
  return slips(making)
      .rights({"norm of norms by hypot"})
      .wrongs({"b is left out", "norms added", "not rooted", "the root of the mean",
               "each by its own norm", "a limit of 1", "scaled up too", "not scaled",
               "the norm after the cut"})
      .done();
}

// Step of Adam with decay of its own; v as its absolute value.
template <class T>
T adam_moved(T hat, T square, const Way& way) {
  const bool corrects = !way.is("no correction of the start");
  const T hats = square / (corrects && !way.is("only the mean is corrected") ? T{0.03F} : T{1});
  if (way.is("eps in the root")) return hat / std::sqrt(hats + T{0.01F});
  if (way.is("no eps")) return hat / std::sqrt(hats);
  return hat / (std::sqrt(hats) + T{0.01F});
}

template <class T>
T adam_mean(T m, T grad, const Way& way) {
  if (way.is("by differences")) return m + T{0.1F} * (grad - m);
  if (way.is("betas swapped")) return T{0.99F} * m + T{0.01F} * grad;
  return T{0.9F} * m + T{0.1F} * grad;
}

template <class T>
Made adam(const Given& g, const Way& way) {
  const Read<T> p{g["p"]}, grad{g["grad"]}, m{g["m"]}, v{g["v"]};
  const bool coupled = way.is("decay by the gradient");
  const T decay = coupled || way.is("no decay") ? T{1} : T{0.995F};
  const T rate = way.is("up the hill") ? T{-0.05F} : T{0.05F};
  Made out(3);
  for (N i = 0; i < g["p"].size(); ++i) {
    const T d = grad[i] + (coupled ? T{0.1F} * p[i] : T{0}), mean = adam_mean(m[i], d, way);
    T square = T{0.99F} * std::fabs(v[i]) + T{0.01F} * d * d;
    if (way.is("the square is not kept")) square = d * d;
    T hat = mean / (way.is("no correction of the start") ? T{1} : T{0.271F});
    if (way.is("of the old mean")) hat = m[i] / T{0.271F};
    if (way.is("the gradient for the mean")) hat = d;
    out[0].push_back(p[i] * decay - rate * adam_moved(hat, square, way));
    out[1].push_back(way.is("the mean is not written") ? m[i] : mean);
    out[2].push_back(way.is("squares in bfloat16") ? low(DType::bfloat16, square) : square);
  }
  return out;
}

inline HeldOut adam_step() {
  const DType dtype = DType::float32;
  Task task{"a step of Adam",
            "optimizer",
            dtype,
            {{"N", 1003}},
            {{"p", tensor({"N"}, dtype)},
             {"grad", tensor({"N"}, dtype)},
             {"m", tensor({"N"}, dtype)},
             {"v", tensor({"N"}, dtype)}},
            {{"p_new", tensor({"N"}, dtype)},
             {"m_new", tensor({"N"}, dtype)},
             {"v_new", tensor({"N"}, dtype)}},
            "def run(p, grad, m, v):\n    a = 0.9 * m + 0.1 * grad\n"
            "    b = 0.99 * v.abs() + 0.01 * grad * grad\n"
            "    step = (a / 0.271) / ((b / 0.03).sqrt() + 0.01)\n"
            "    return p * 0.995 - 0.05 * step, a, b\n",
            {}};
  Making making(std::move(task), {{dtype, 1003}, {dtype, 1003}, {dtype, 1003}},
                [](auto t, const Given& g, const Way& w) { return adam<decltype(t)>(g, w); });
  making.plain().outputs().flushing().downgrades({"p", "v"});
  return slips(making)
      .rights({"by differences"})
      .wrongs({"decay by the gradient", "betas swapped", "the square is not kept",
               "no correction of the start", "only the mean is corrected", "eps in the root",
               "no eps", "of the old mean", "the gradient for the mean", "no decay", "up the hill",
               "the mean is not written", "squares in bfloat16"})
      .done();
}

}  // namespace kbench::mutants::heldout
