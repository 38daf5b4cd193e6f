// Third set: what goes along time with a state.
#pragma once

#include "evaluate/mutants/third_making.hpp"

namespace kbench::mutants::heldout {

// One head of the gated delta rule: state[16, 10].
constexpr N delta_keys = 16, delta_values = 10;

template <class T>
void delta_step(std::vector<T>& s, const std::vector<T>& k, const std::vector<T>& v,
                const std::pair<T, T>& gates, const Way& way) {
  const auto [decay, beta] = gates;
  const std::vector<T> before = s;
  const bool late = way.is("decay after the update"), stale = way.is("errors of the old state");
  if (!late)
    for (T& x : s) x *= decay;
  for (N c = 0; c < delta_values; ++c) {
    const std::vector<T>& seen = stale ? before : s;
    const T known = way.is("nothing is taken off")
                        ? T{0}
                        : dot<T>(
                              way, c, delta_keys, [&](N i) { return k[i]; },
                              [&](N i) { return seen[i * delta_values + c]; });
    for (N i = 0; i < delta_keys; ++i) s[i * delta_values + c] += k[i] * (v[c] - known) * beta;
  }
  if (late)
    for (T& x : s) x *= decay;
  if (way.is("a bfloat16 state"))
    for (T& x : s) x = low(DType::bfloat16, x);
  if (way.is("a float16 state"))
    for (T& x : s) x = low(DType::float16, x);
}

template <class T>
std::vector<T> unit_key(const Read<T>& k, N first, const Way& way) {
  const T square = dot<T>(way, first, delta_keys, k.from(first), k.from(first));
  T scale = T{1} / std::sqrt(square + static_cast<T>(1e-6L));
  if (way.is("keys divided by their square")) scale *= scale;
  if (way.is("keys as mean squares")) scale *= T{4};
  std::vector<T> out;
  for (N i = 0; i < delta_keys; ++i) out.push_back(k[first + i] * scale);
  return out;
}

template <class T>
Made delta_rule(const Given& g, const Way& way) {
  constexpr N tokens = 11, heads = 2, size = delta_keys * delta_values;
  const Read<T> q{g["q"]}, k{g["k"]}, v{g["v"]}, gate{g["g"]}, beta{g["beta"]};
  const std::vector<T> start = all_of<T>(g, "state");
  Made out{Values(tokens * heads * delta_values), {}};
  for (N h = 0; h < heads; ++h) {
    std::vector<T> s(start.begin() + static_cast<long>(h * size),
                     start.begin() + static_cast<long>(h * size + size));
    const std::vector<T> old = s;
    if (way.is("starts from 0")) std::fill(s.begin(), s.end(), T{0});
    for (N t = 0; t < tokens; ++t) {
      const N r = t * heads + h;
      const auto values = v.from(r * delta_values);
      std::vector<T> mine;
      for (N c = 0; c < delta_values; ++c) mine.push_back(values(c));
      const std::vector<T> before = s;
      const T b = way.is("beta without its sigmoid") ? beta[r] : logistic(beta[r]);
      const T a = way.is("no decay") ? T{1} : logistic(gate[r]);
      delta_step(s, unit_key(k, r * delta_keys, way), mine, {a, way.is("no beta") ? T{1} : b}, way);
      const std::vector<T>& seen = way.is("answers of the state before") ? before : s;
      for (N c = 0; c < delta_values; ++c)
        out[0][r * delta_values + c] = (way.is("no scale") ? T{1} : T{0.25}) *
                                       dot<T>(way, r, delta_keys, q.from(r * delta_keys),
                                              [&](N i) { return seen[i * delta_values + c]; });
    }
    const std::vector<T>& kept = way.is("the state is not written") ? old : s;
    out[1].insert(out[1].end(), kept.begin(), kept.end());
  }
  return out;
}

inline HeldOut gated_delta_rule() {
  const DType dtype = DType::float32;
  Task task{"gated delta rule",
            "gdn",
            dtype,
            {{"T", 11}, {"H", 2}, {"K", 16}, {"V", 10}},
            {{"q", tensor({"T", "H", "K"}, dtype)},
             {"k", tensor({"T", "H", "K"}, dtype)},
             {"v", tensor({"T", "H", "V"}, dtype)},
             {"g", tensor({"T", "H"}, dtype)},
             {"beta", tensor({"T", "H"}, dtype)},
             {"state", tensor({"H", "K", "V"}, dtype)}},
            {{"o", tensor({"T", "H", "V"}, dtype)}, {"last", tensor({"H", "K", "V"}, dtype)}},
            "def run(q, k, v, g, beta, state):\n    s = state.clone()\n"
            "    o = torch.zeros_like(v)\n    for t in range(q.shape[0]):\n"
            "        u = k[t] / ((k[t] * k[t]).sum(-1, keepdim=True) + 1e-6).sqrt()\n"
            "        s = s * torch.sigmoid(g[t]).reshape(-1, 1, 1)\n"
            "        e = v[t] - (u.unsqueeze(1) @ s).squeeze(1)\n"
            "        e = e * torch.sigmoid(beta[t]).unsqueeze(-1)\n"
            "        s = s + u.unsqueeze(2) * e.unsqueeze(1)\n"
            "        o[t] = (q[t].unsqueeze(1) @ s).squeeze(1) * 0.25\n    return o, s\n",
            {}};
  Making making(std::move(task), {{dtype, 10}, {dtype, 10}},
                [](auto t, const Given& g, const Way& w) { return delta_rule<decltype(t)>(g, w); });
  making.sums().downgrades({"q", "state"});
  return slips(making)
      .wrongs({"decay after the update", "errors of the old state", "nothing is taken off",
               "a bfloat16 state", "a float16 state", "keys divided by their square",
               "keys as mean squares", "starts from 0", "beta without its sigmoid", "no decay",
               "no beta", "answers of the state before", "no scale", "the state is not written"})
      .wrong("the next head's gate", {.before = rolled("g", 1)})
      .done();
}

// o[t] = sum of gamma^(t - s) (q[t] . k[s]) v[s]; q[3, 70, 16].
struct Linear {
  N heads = 3, tokens = 70, width = 16, chunk = 32;
};

template <class T>
T decayed(const Linear& d, N h, std::pair<N, N> at, const Way& way) {
  constexpr std::array gammas{0.75F, 0.875F, 0.9375F};
  const auto [t, s] = at;
  const T gamma = static_cast<T>(gammas[(h + (way.is("the next head's decay") ? 1 : 0)) % 3]);
  const bool same = t / d.chunk == s / d.chunk;
  int steps = static_cast<int>(t) - static_cast<int>(s);
  if (way.is("no decay")) return 1;
  if (way.is("chunks stand alone") && !same) return 0;
  if (way.is("no diagonal") && steps == 0) return 0;
  if (way.is("a power more")) ++steps;
  if (way.is("a power more between chunks") && !same) ++steps;
  if (way.is("decay only within chunks") && !same) steps = static_cast<int>(t % d.chunk) + 1;
  if (way.is("powers by exp2"))
    return std::exp2(std::log2(gamma) * static_cast<T>(std::max(steps, 0)));
  return std::pow(gamma, static_cast<T>(std::max(steps, 0)));
}

// By a state of keys by values, from token to token.
template <class T>
void recurrent(const Linear& d, N h, const Given& g, Values& out) {
  const Read<T> q{g["q"]}, k{g["k"]}, v{g["v"]};
  const T gamma = decayed<T>(d, h, {1, 0}, {});
  std::vector<T> state(d.width * d.width);
  for (N t = 0; t < d.tokens; ++t) {
    const N row = (h * d.tokens + t) * d.width;
    for (N i = 0; i < state.size(); ++i)
      state[i] = state[i] * gamma + k[row + i / d.width] * v[row + i % d.width];
    for (N c = 0; c < d.width; ++c)
      out.push_back(
          dot<T>({}, 0, d.width, q.from(row), [&](N i) { return state[i * d.width + c]; }));
  }
}

template <class T>
Made linear(const Linear& d, const Given& g, const Way& way) {
  const Read<T> q{g["q"]}, k{g["k"]}, v{g["v"]};
  Made out(1);
  for (N r = 0; r < d.heads * d.tokens; ++r) {
    const N h = r / d.tokens, t = r % d.tokens, base = h * d.tokens;
    if (way.is("by a state")) {
      if (t == 0) recurrent<T>(d, h, g, out[0]);
      continue;
    }
    std::vector<T> a;
    for (N s = 0; s < (way.is("not causal") ? d.tokens : t + 1); ++s)
      a.push_back(decayed<T>(d, h, {t, s}, way) *
                  dot<T>({}, r, d.width, q.from(r * d.width), k.from((base + s) * d.width)));
    if (way.is("scores rounded before the values"))
      for (T& x : a) x = low(DType::bfloat16, x);
    for (N c = 0; c < d.width; ++c)
      out[0].push_back(dot<T>(
          way, r, a.size(), [&](N s) { return a[s]; }, v.from(base * d.width + c, d.width)));
  }
  return out;
}

inline HeldOut linear_attention() {
  const DType dtype = DType::bfloat16;
  Task task{"linear attention with decay",
            "linear_attention",
            dtype,
            {{"H", 3}, {"T", 70}, {"D", 16}},
            {{"q", tensor({"H", "T", "D"}, dtype)},
             {"k", tensor({"H", "T", "D"}, dtype)},
             {"v", tensor({"H", "T", "D"}, dtype)}},
            {{"o", tensor({"H", "T", "D"}, dtype)}},
            "def run(q, k, v):\n    gamma = torch.tensor([0.75, 0.875, 0.9375]).reshape(3, 1, 1)\n"
            "    i = torch.arange(q.shape[1])\n    far = i.unsqueeze(1) - i.unsqueeze(0)\n"
            "    m = torch.pow(gamma, far.clamp(min=0).float()) * (far >= 0).float()\n"
            "    s = (q.float() @ k.float().transpose(1, 2)) * m\n"
            "    return (s @ v.float()).to(q.dtype)\n",
            {}};
  Making making(std::move(task), {{dtype, 16}},
                []<class T>(T, const Given& g, const Way& w) { return linear<T>(Linear{}, g, w); });
  making.sums().cutting().rows();
  return slips(making)
      .rights({"by a state", "powers by exp2", "scores rounded before the values"})
      .wrongs({"the next head's decay", "no decay", "chunks stand alone", "no diagonal",
               "a power more", "a power more between chunks", "decay only within chunks",
               "not causal"})
      .wrong("keys through float8", {.before = through("k", DType::float8_e4m3fn)})
      .done();
}

// One step of a selective state space: state[3, 14, 9].
template <class T>
T softplus_of(T z, const Way& way) {
  if (way.is("no softplus")) return z;
  if (way.is("softplus by log1p")) return std::max(z, T{0}) + std::log1p(std::exp(-std::fabs(z)));
  return z > 20 ? z : std::log1p(std::exp(z));
}

template <class T>
T gated(T y, T z, const Way& way) {
  if (way.is("no gate")) return y;
  if (way.is("the gate is a sigmoid")) return y * logistic(z);
  return y * z * logistic(z);
}

template <class T>
T step_of(const Given& g, N r, N c, const Way& way) {
  const T dt = static_cast<T>(g["dt"][r]), bias = static_cast<T>(g["dt_bias"][c]);
  if (way.is("the bias after the softplus")) return softplus_of(dt, way) + bias;
  return softplus_of(way.is("no bias of dt") ? dt : dt + bias, way);
}

template <class T>
Made state_update(const Given& g, const Way& way) {
  constexpr N channels = 14, states = 9;
  const Read<T> old{g["state"]}, x{g["x"]}, a_log{g["a_log"]}, skip{g["d"]}, z{g["z"]};
  const Read<T> in{g[way.is("B and C swapped") ? "c" : "b"]};
  const Read<T> from{g[way.is("B and C swapped") ? "b" : "c"]};
  Made out(2);
  for (N r = 0; r < 3 * channels; ++r) {
    const N batch = r / channels, c = r % channels;
    const T dt = step_of<T>(g, r, c, way);
    std::vector<T> s;
    for (N n = 0; n < states; ++n) {
      const T log = a_log[c * states + n];
      T a = way.is("A is no logarithm") ? -std::fabs(log) : -std::exp(log);
      if (way.is("A without its sign")) a = -a;
      const T grown = way.is("decay to first order") ? T{1} + dt * a : std::exp(dt * a);
      s.push_back(old[r * states + n] * grown +
                  (way.is("B without dt") ? T{1} : dt) * in[batch * states + n] * x[r]);
    }
    const bool stale = way.is("answers of the state before");
    T y = dot<T>(
        way, r, states, [&](N n) { return stale ? old[r * states + n] : s[n]; },
        from.from(batch * states));
    if (!way.is("no skip")) y += skip[c] * x[r];
    out[0].push_back(gated(y, z[r], way));
    for (N n = 0; n < states; ++n)
      out[1].push_back(way.is("the state is not written") ? old[r * states + n]
                       : way.is("a bfloat16 state")       ? low(DType::bfloat16, s[n])
                                                          : s[n]);
  }
  return out;
}

inline HeldOut selective_state() {
  const DType dtype = DType::float16;
  Task task{"selective state update",
            "selective_state_update",
            dtype,
            {{"B", 3}, {"D", 14}, {"N", 9}},
            {{"state", tensor({"B", "D", "N"}, DType::float32)},
             {"x", tensor({"B", "D"}, dtype)},
             {"dt", tensor({"B", "D"}, dtype)},
             {"dt_bias", tensor({"D"}, DType::float32)},
             {"a_log", tensor({"D", "N"}, DType::float32)},
             {"b", tensor({"B", "N"}, dtype)},
             {"c", tensor({"B", "N"}, dtype)},
             {"d", tensor({"D"}, DType::float32)},
             {"z", tensor({"B", "D"}, dtype)}},
            {{"y", tensor({"B", "D"}, dtype)}, {"last", tensor({"B", "D", "N"}, DType::float32)}},
            "def run(state, x, dt, dt_bias, a_log, b, c, d, z):\n"
            "    t = torch.nn.functional.softplus(dt.float() + dt_bias).unsqueeze(-1)\n"
            "    f = x.float()\n    grown = state * torch.exp(-t * torch.exp(a_log))\n"
            "    s = grown + t * b.float().unsqueeze(1) * f.unsqueeze(-1)\n"
            "    y = (s * c.float().unsqueeze(1)).sum(-1) + d * f\n"
            "    return (y * torch.nn.functional.silu(z.float())).to(x.dtype), s\n",
            {}};
  Making making(
      std::move(task), {{dtype, 14}, {DType::float32, 9}},
      [](auto t, const Given& g, const Way& w) { return state_update<decltype(t)>(g, w); });
  making.sums();
  return slips(making)
      .rights({"softplus by log1p"})
      .wrongs({"no softplus", "the bias after the softplus", "no bias of dt", "A is no logarithm",
               "A without its sign", "decay to first order", "B without dt", "B and C swapped",
               "answers of the state before", "no skip", "no gate", "the gate is a sigmoid",
               "the state is not written", "a bfloat16 state"})
      .done();
}

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

// By blocks of 64 that know of those before by one number.
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

// The largest so far of each row: x[5, 200].
template <class T>
Made largest_so_far(const Given& g, const Way& way) {
  constexpr N n = 200;
  const Read<T> x{g["x"]};
  Made out(1);
  for (N i = 0; i < g["x"].size(); ++i) {
    const N t = i % n, row = i - t;
    N first = row, end = i + 1;
    if (way.is("blocks of 64 stand alone")) first = row + t / 64 * 64;
    if (way.is("without itself") && t > 0) end = i;
    if (way.is("from the end")) first = i, end = row + n;
    if (way.is("rows run on")) first = 0;
    if (way.is("of the whole row")) end = row + n;
    T best = way.is("by absolute value") ? T{0} : x[first];
    for (N k = first; k < end; ++k) {
      const N at = way.is("read backwards") ? end - 1 - (k - first) : k;
      const T v = way.is("by absolute value") ? std::fabs(x[at]) : x[at];
      best = way.is("the least") ? std::min(best, v) : std::max(best, v);
    }
    if (way.is("by halves")) {
      const N half = first + (end - first) / 2;
      best = x[first];
      for (N k = first; k < half; ++k) best = std::max(best, x[k]);
      T other = x[end - 1];
      for (N k = half; k < end; ++k) other = std::max(other, x[k]);
      best = std::max(best, other);
    }
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
