// Third set: windows over lines and planes, and what an optimiser does.
#pragma once

#include "evaluate/mutants/third_making.hpp"

namespace kbench::mutants::heldout {

// Four taps of each channel, none of what comes later, then silu: x[2, 9, 37].
template <class T>
Made causal_taps(const Given& g, const Way& way) {
  constexpr N channels = 9, length = 37;
  const Read<T> x{g["x"]}, w{g["w"]}, b{g["b"]};
  Made out(1);
  for (N i = 0; i < g["x"].size(); ++i) {
    const N c = i / length % channels, t = i % length;
    const N block = way.is("blocks of 16 start anew") ? t / 16 * 16 : 0;
    T sum = way.is("no bias") ? T{0} : b[c];
    for (N k = way.is("the first tap is missing") ? 1 : 0; k < 4; ++k) {
      const N n = way.is("added from the last tap") ? 3 - k : k;
      const N tap = way.is("taps turned round") ? 3 - n : n;
      const N late = way.is("centred") ? 2 : way.is("one token early") ? 4 : 3;
      const std::int64_t at = static_cast<std::int64_t>(t + n) - static_cast<std::int64_t>(late);
      const bool before = at < static_cast<std::int64_t>(block) && !way.is("rows run on");
      if (before && way.is("the border is repeated")) {
        sum += w[c * 4 + tap] * x[i - t];
        continue;
      }
      const auto from = static_cast<std::int64_t>(i - t) + at;
      if (before || from < 0 || at >= static_cast<std::int64_t>(length)) continue;
      sum += w[c * 4 + tap] * x[static_cast<N>(from)];
    }
    const T y = way.is("a sigmoid alone") ? logistic(sum) : sum * logistic(sum);
    out[0].push_back(way.is("no silu")          ? sum
                     : way.is("silu by tanh")   ? sum * (T{0.5} + T{0.5} * std::tanh(sum / 2))
                     : way.is("sum in 16 bits") ? low(DType::float16, sum) * logistic(sum)
                                                : y);
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

// The largest of 3 by 3 in steps of 2, with a border that is never it: x[6, 9, 11].
template <class T>
Made largest_near(const Given& g, const Way& way) {
  const Plane d{.channels = 1};
  const Read<T> x{g["x"]};
  Made out(1);
  for (N i = 0; i < 6 * 5 * 6; ++i) {
    const N plane = i / 30, r = i / 6 % 5, c = i % 6;
    T best = way.is("starts from 0") ? T{0} : -std::numeric_limits<T>::infinity(), sum = 0;
    for (N n = 0; n < 9; ++n) {
      const N k = way.is("from the end") ? 8 - n : n;
      if (way.is("2 by 2") && (k / 3 == 2 || k % 3 == 2)) continue;
      if (way.is("the middle is left out") && k == 4) continue;
      const std::int64_t border = way.is("no border before") ? 0 : 1;
      const auto y = static_cast<std::int64_t>(r * 2 + k / 3) - border;
      const auto z = static_cast<std::int64_t>(c * 2 + k % 3) - border;
      const bool in = y >= 0 && y < 9 && z >= 0 && z < 11;
      if (!in && !way.is("the border is 0")) continue;
      const T v = pixel(d, x, plane, {y, z}, way);
      const T key = way.is("by absolute value") ? std::fabs(v) : way.is("the least") ? -v : v;
      if (key > best) best = key;
      sum += v;
    }
    if (way.is("the least")) best = -best;
    out[0].push_back(way.is("the mean") ? sum / 9 : best);
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

// Twice as many rows and columns, from half pixels: x[4, 7, 5].
template <class T>
Made enlarged(const Given& g, const Way& way) {
  constexpr N rows = 7, columns = 5;
  const Read<T> x{g["x"]};
  const auto place = [&](N i, N length) {
    T v = (static_cast<T>(i) + T{0.5}) / 2 - T{0.5};
    if (way.is("corners aligned"))
      v = static_cast<T>(i) * static_cast<T>(length - 1) / static_cast<T>(2 * length - 1);
    if (way.is("no half pixels")) v = static_cast<T>(i) / 2;
    if (way.is("the nearest")) v = static_cast<T>(i / 2);
    return way.is("not held at the border") ? v : std::max(v, T{0});
  };
  Made out(1);
  for (N i = 0; i < 4 * 2 * rows * 2 * columns; ++i) {
    const N plane = i / (4 * rows * columns), r = i / (2 * columns) % (2 * rows),
            c = i % (2 * columns);
    const T y = place(way.is("rows and columns swapped") ? c : r, rows);
    const T z = place(way.is("rows and columns swapped") ? r % (2 * columns) : c, columns);
    const T y0 = std::max(std::floor(y), T{0}), z0 = std::max(std::floor(z), T{0});
    T fy = y - y0, fz = z - z0;
    if (way.is("weights turned round")) fy = T{1} - fy, fz = T{1} - fz;
    if (way.is("only along rows")) fy = 0;
    if (way.is("a smooth step")) fy = fy * fy * (T{3} - 2 * fy);
    const auto at = [&](T a, T b) {
      const N u = std::min(static_cast<N>(a), rows - 1),
              v = std::min(static_cast<N>(b), columns - 1);
      return x[plane * rows * columns + u * columns + v];
    };
    const T tl = at(y0, z0), tr = at(y0, z0 + 1), bl = at(y0 + 1, z0), br = at(y0 + 1, z0 + 1);
    if (way.is("by differences"))
      out[0].push_back((tl + fz * (tr - tl)) +
                       fy * ((bl + fz * (br - bl)) - (tl + fz * (tr - tl))));
    else if (way.is("columns first"))
      out[0].push_back((T{1} - fz) * ((T{1} - fy) * tl + fy * bl) +
                       fz * ((T{1} - fy) * tr + fy * br));
    else
      out[0].push_back((T{1} - fy) * ((T{1} - fz) * tl + fz * tr) +
                       fy * ((T{1} - fz) * bl + fz * br));
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

// All gradients a[21, 40] and b[33] by one norm, no longer than 3 in all; and the norm.
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

// One step of Adam with decay of its own; v as its absolute value.
template <class T>
Made adam(const Given& g, const Way& way) {
  const Read<T> p{g["p"]}, grad{g["grad"]}, m{g["m"]}, v{g["v"]};
  Made out(3);
  for (N i = 0; i < g["p"].size(); ++i) {
    const bool coupled = way.is("decay by the gradient");
    const T d = grad[i] + (coupled ? T{0.1F} * p[i] : T{0});
    T mean = T{0.9F} * m[i] + T{0.1F} * d;
    if (way.is("by differences")) mean = m[i] + T{0.1F} * (d - m[i]);
    if (way.is("betas swapped")) mean = T{0.99F} * m[i] + T{0.01F} * d;
    const T old = std::fabs(v[i]);
    T square = T{0.99F} * old + T{0.01F} * d * d;
    if (way.is("the square is not kept")) square = d * d;
    const bool corrects = !way.is("no correction of the start");
    const T hat = mean / (corrects ? T{0.271F} : T{1});
    const T hats = square / (corrects && !way.is("only the mean is corrected") ? T{0.03F} : T{1});
    T step = hat / (std::sqrt(hats) + T{0.01F});
    if (way.is("eps in the root")) step = hat / std::sqrt(hats + T{0.01F});
    if (way.is("of the old mean")) step = m[i] / T{0.271F} / (std::sqrt(hats) + T{0.01F});
    if (way.is("the gradient for the mean")) step = d / (std::sqrt(hats) + T{0.01F});
    const T kept = p[i] * (coupled || way.is("no decay") ? T{1} : T{0.995F});
    out[0].push_back(kept + (way.is("up the hill") ? T{0.05F} : T{-0.05F}) * step);
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
               "of the old mean", "the gradient for the mean", "no decay", "up the hill",
               "the mean is not written", "squares in bfloat16"})
      .done();
}

}  // namespace kbench::mutants::heldout
