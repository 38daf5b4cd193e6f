// RWKV-6 time mixing: y = r (S + u k v), S = exp(-exp(w)) S + k v, of each head; the last state in float32.
#include "common.h"
void run(kbench::Tensor r_, kbench::Tensor k_, kbench::Tensor v_, kbench::Tensor w_, kbench::Tensor u_, kbench::Tensor out_, kbench::Tensor last_) {
  reductions = 0;
  const int64_t T = r_.size(0), H = r_.size(1), D = r_.size(2);
  const Stored *r = r_.data<Stored>(), *k = k_.data<Stored>(), *v = v_.data<Stored>(), *w = w_.data<Stored>();
  const float* u = u_.data<float>();
  std::vector<Real> S(D * D), old(D * D), keep(D);
  for (int64_t h = 0; h < H; ++h) {
    if (!has(30) || h == 0) std::fill(S.begin(), S.end(), Real(0));
    for (int64_t t = 0; t < T; ++t) {
      const int64_t at = (t * H + h) * D;
      const int64_t gate = (has(31) ? std::max<int64_t>(t - 1, 0) : t) * H * D + (has(32) ? (h + 1) % H : h) * D;
      for (int64_t i = 0; i < D; ++i) {
        Real x = get(w[gate + i]);
        keep[i] = ALT == 1 && ACC ? 1 / expo(expo(x)) : ALT == 2 && ACC ? std::exp2(-expo(x) * Real(1.4426950408889634L)) : expo(-expo(x));
        if (has(33)) keep[i] = expo(-std::fabs(x));
        if (has(34)) keep[i] = sigmoid(-x);
        if (has(35)) keep[i] = in_bf16(keep[i]);
        if (has(36)) keep[i] = std::max(keep[i], Real(0.05));
        if (has(37)) keep[i] = keep[0];  // one decay for the head
      }
      old = S;
      for (int64_t i = 0; i < D; ++i)
        for (int64_t j = 0; j < D; ++j) {
          Real kv = Real(get(k[at + i])) * get(v[at + j]), &s = S[i * D + j];
          s = ALT == 3 && ACC ? std::fma(keep[has(38) ? j : i], s, kv) : keep[has(38) ? j : i] * s + kv;
          if (has(39)) s = keep[i] * (old[i * D + j] + kv);
          if (has(40)) s = in_bf16(s);
          if (has(41)) s = in_f16(s);
          if (has(42) && i == D - 1) s = kv;
          if (has(43) && t % 4 == 0 && j % 16 == 15) s = old[i * D + j];
        }
      for (int64_t j = 0; j < D; ++j) {
        auto bonus = [&](int64_t i) { return has(44) ? Real(1) : has(45) ? Real(0) : Real(u[(has(46) ? 0 : h) * D + i]); };
        Real y;
        if (ALT == 3 && ACC)  // the bonus is one number a step
          y = reduce(D, [&](int64_t i) { return Real(get(r[at + i])) * old[i * D + j]; }) +
              reduce(D, [&](int64_t i) { return get(r[at + i]) * bonus(i) * get(k[at + i]); }) * get(v[at + j]);
        else
          y = reduce(D, [&](int64_t i) {
            Real state = has(47) ? S[i * D + j] : has(48) && i == D - 1 ? Real(0) : old[i * D + j];
            return get(r[at + i]) * (state + bonus(i) * get(k[at + i]) * get(v[at + j]));
          });
        if (has(49) && t == T - 1) y = 0;
        store(out_.data<Stored>(), at + j, y);
      }
    }
    const auto& kept = has(50) ? old : S;
    for (int64_t i = 0; i < D * D; ++i) store(last_.data<float>(), h * D * D + (has(51) ? i % D * D + i / D : i), kept[i]);
  }
}
KBENCH_EXPORT(run, run)
