// Gated delta rule: S = decay * S; S += k (v - k S) beta; out = q S, step by step. The state stays in float32.
#include "common.h"
void run(kbench::Tensor q_, kbench::Tensor k_, kbench::Tensor v_, kbench::Tensor a_, kbench::Tensor b_, kbench::Tensor state_,
         kbench::Tensor out_, kbench::Tensor last_) {
  reductions = 0;
  const int64_t T = q_.size(0), H = q_.size(1), K = q_.size(2), V = v_.size(2);
  const Stored *q = q_.data<Stored>(), *k = k_.data<Stored>(), *v = v_.data<Stored>(), *a = a_.data<Stored>(), *b = b_.data<Stored>();
  const float* first = state_.data<float>();
  Stored* out = out_.data<Stored>();
  float* last = last_.data<float>();
  const Real eps = Real(1e-6L);
  std::vector<Real> S(K * V), kn(K), qn(K), delta(V), predicted(V), before(K * V);
  for (int64_t h = 0; h < H; ++h) {
    int64_t from = has(40) && h >= H - 2 ? 2 * H - 3 - h : h;  // the last two heads' states are swapped
    for (int64_t i = 0; i < K * V; ++i) S[i] = first[from * K * V + i];
    for (int64_t t = 0; t < T; ++t) {
      if (has(37) && t == T - 1) { for (int64_t j = 0; j < V; ++j) store(out, (t * H + h) * V + j, 0); continue; }
      const int64_t at = t * H + h;
      auto norm = [&](const Stored* x) { return inverse_root(reduce(K, [&](int64_t i) { Real y = get(x[at * K + i]); return y * y; }) + eps); };
      Real kr = norm(k), qr = norm(q);
      Real scale = has(34) ? 1 / std::sqrt(Real(K + 1)) : has(48) ? 1 / Real(K) : 1 / std::sqrt(Real(K));
      if (has(38)) qr = 1;
      for (int64_t i = 0; i < K; ++i) { kn[i] = get(k[at * K + i]) * kr; qn[i] = get(q[at * K + i]) * qr * (ALT == 1 ? Real(1) : scale); }
      int64_t gate = has(32) ? std::min(t + 1, T - 1) * H + h : has(39) ? t * H + (h + 1) % H : at;
      Real x = get(a[gate]);
      Real decay = has(45) ? std::exp(Real(-0.25) * std::max(x, Real(0)))
                   : ALT == 2 ? std::pow(1 + expo(x), Real(-0.25))  // exp(-log(1 + e^x) / 4)
                              : expo(Real(-0.25) * softplus(x));
      if (has(31) && t == 0) decay = 1;
      Real beta = sigmoid(Real(get(b[has(49) ? t * H + (h ? h - 1 : 0) : at])));
      if (has(30)) beta = std::min(std::max(x = get(b[at]) * Real(0.25) + Real(0.5), Real(0)), Real(1));  // a hard sigmoid
      before = S;
      if (ALT != 3 || ACC == 0)
        for (int64_t i = 0; i < K * V; ++i) S[i] *= decay;
      for (int64_t j = 0; j < V; ++j) {
        predicted[j] = reduce(K, [&](int64_t i) { return kn[i] * (has(33) ? before[i * V + j] : S[i * V + j]); });
        if (ALT == 3 && ACC) predicted[j] *= decay;  // the state is scaled later
        int64_t row = has(46) && t == T - 1 ? at - H : at;
        delta[j] = (get(v[row * V + j]) - predicted[j]) * beta;
        if (has(42) && j % 32 == 31) delta[j] /= beta;
        if (has(47) && j == V - 1) delta[j] = 0;
        if (has(50)) delta[j] = in_bf16(delta[j]);
      }
      for (int64_t i = 0; i < K; ++i)
        for (int64_t j = 0; j < V; ++j) {
          Real& s = S[i * V + j];
          if (ALT == 3 && ACC) s = std::fma(s, decay, kn[i] * delta[j]);
          else s += kn[i] * delta[j];
          if (has(35)) s = in_bf16(s);
          if (has(36)) s = in_f16(s);
          if (has(44)) s = in_tf32(s);
        }
      const auto& seen = has(41) ? before : S;
      for (int64_t j = 0; j < V; ++j) {
        Real o = reduce(K, [&](int64_t i) { return qn[i] * seen[i * V + j]; });
        store(out, at * V + j, ALT == 1 ? o * scale : o);
      }
    }
    const auto& kept = has(43) ? before : S;
    for (int64_t i = 0; i < K * V; ++i) store(last, h * K * V + i, kept[i]);
  }
}
KBENCH_EXPORT(run, run)
