// Third set: states that go along time.
#pragma once

#include "calibration/mutants/third_making.hpp"

namespace kbench::mutants::heldout {

// Head of the gated delta rule: state[16, 10].
constexpr N delta_keys = 16, delta_values = 10;

template <class T>
void in_few_bits(std::vector<T>& s, const Way& way) {
  const bool coarse = way.is("a bfloat16 state");
  if (coarse || way.is("a float16 state"))
    for (T& x : s) x = low(coarse ? DType::bfloat16 : DType::float16, x);
}

template <class T>
void delta_step(std::vector<T>& s, const std::vector<T>& k, const std::vector<T>& v,
                const std::pair<T, T>& gates, const Way& way) {
  const auto [decay, beta] = gates;
  const std::vector<T> before = s;
  const bool late = way.is("decay after the update"), stale = way.is("errors of the old state");
  for (T& x : s) x *= late ? T{1} : decay;
  for (N c = 0; c < delta_values; ++c) {
    const std::vector<T>& seen = stale ? before : s;
    const T known = way.is("nothing is taken off")
                        ? T{0}
                        : dot<T>(
                              way, c, delta_keys, [&](N i) { return k[i]; },
                              [&](N i) { return seen[i * delta_values + c]; });
    for (N i = 0; i < delta_keys; ++i) s[i * delta_values + c] += k[i] * (v[c] - known) * beta;
  }
  for (T& x : s) x *= late ? decay : T{1};
  in_few_bits(s, way);
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
  if (!same ? way.is("chunks stand alone") : steps == 0 && way.is("no diagonal")) return 0;
  if (way.is("a power more") || (way.is("a power more between chunks") && !same)) ++steps;
  if (way.is("decay only within chunks") && !same) steps = static_cast<int>(t % d.chunk) + 1;
  const T power = static_cast<T>(std::max(steps, 0));
  return way.is("powers by exp2") ? std::exp2(std::log2(gamma) * power) : std::pow(gamma, power);
}

// Computes it by a state of keys by values, from token to token.
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

// Step of a selective state space: state[3, 14, 9].
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
T decay_of(T log, T dt, const Way& way) {
  T a = way.is("A is no logarithm") ? -std::fabs(log) : -std::exp(log);
  if (way.is("A without its sign")) a = -a;
  return way.is("decay to first order") ? T{1} + dt * a : std::exp(dt * a);
}

template <class T>
T kept_state(T before, T s, const Way& way) {
  if (way.is("the state is not written")) return before;
  return way.is("a bfloat16 state") ? low(DType::bfloat16, s) : s;
}

template <class T>
Made state_update(const Given& g, const Way& way) {
  constexpr N channels = 14, states = 9;
  const bool swaps = way.is("B and C swapped"), stale = way.is("answers of the state before");
  const Read<T> old{g["state"]}, x{g["x"]}, a_log{g["a_log"]}, skip{g["d"]}, z{g["z"]};
  const Read<T> in{g[swaps ? "c" : "b"]}, from{g[swaps ? "b" : "c"]};
  Made out(2);
  for (N r = 0; r < 3 * channels; ++r) {
    const N batch = r / channels, c = r % channels;
    const T dt = step_of<T>(g, r, c, way), by = way.is("B without dt") ? T{1} : dt;
    std::vector<T> s;
    for (N n = 0; n < states; ++n) {
      s.push_back(old[r * states + n] * decay_of(a_log[c * states + n], dt, way) +
                  by * in[batch * states + n] * x[r]);
      out[1].push_back(kept_state(old[r * states + n], s[n], way));
    }
    const T y = dot<T>(
        way, r, states, [&](N n) { return stale ? old[r * states + n] : s[n]; },
        from.from(batch * states));
    out[0].push_back(gated(way.is("no skip") ? y : y + skip[c] * x[r], z[r], way));
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

}  // namespace kbench::mutants::heldout
