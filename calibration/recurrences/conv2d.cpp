// 2-d convolution with bias, stride 2 and padding 1, then relu.
#include "common.h"
void run(kbench::Tensor x_, kbench::Tensor w_, kbench::Tensor b_, kbench::Tensor out_) {
  reductions = 0;
  const int64_t N = x_.size(0), C = x_.size(1), H = x_.size(2), W = x_.size(3), O = w_.size(0), R = w_.size(2), S = w_.size(3);
  const int64_t P = out_.size(2), Q = out_.size(3);
  const Stored *x = x_.data<Stored>(), *w = w_.data<Stored>(), *b = b_.data<Stored>();
  for (int64_t n = 0; n < N; ++n)
    for (int64_t o = 0; o < O; ++o)
      for (int64_t p = 0; p < P; ++p)
        for (int64_t q = 0; q < Q; ++q) {
          const int64_t at = ((n * O + o) * P + p) * Q + q;
          auto term = [&](int64_t i) -> Real {
            int64_t c, r, s;
            if (ALT == 1 && ACC) { c = i % C; r = i / C / S; s = i / C % S; }  // channels innermost
            else { c = i / (R * S); r = i / S % R; s = i % S; }
            int64_t y = p * 2 + r - 1, z = q * 2 + s - 1;
            if (has(30)) { y = std::min(std::max<int64_t>(y, 0), H - 1); z = std::min(std::max<int64_t>(z, 0), W - 1); }  // border repeated
            if (has(31)) { y = (y + H) % H; z = (z + W) % W; }
            if (has(32)) { ++y; }                    // no padding above
            if (has(33) && z == W - 1) return 0;     // the last column of the picture is never used
            if (has(34) && q == Q - 1 && s == S - 2) return 0;
            if (y < 0 || y >= H || z < 0 || z >= W) return 0;
            int64_t rr = has(35) ? R - 1 - r : r, ss = has(35) ? S - 1 - s : s;  // flipped, as mathematicians convolve
            if (has(36)) std::swap(rr, ss);
            Real v = get(x[((n * C + (has(37) && c == C - 1 ? c - 1 : c)) * H + y) * W + z]);
            Real k = get(w[((o * C + c) * R + rr) * S + ss]);
            if (has(38)) return in_bf16(v) * in_bf16(k);
            if (has(39)) return in_tf32(v) * in_tf32(k);
            if (has(40)) return in_f16(v) * in_f16(k);
            return v * k;
          };
          const int64_t n_terms = has(41) ? (C - 1) * R * S : C * R * S;
          Real bias = get(b[has(42) ? std::max<int64_t>(o - 1, 0) : o]);
          if (has(43)) bias = 0;
          Real sum = ALT == 2 && ACC ? reduce(n_terms + 1, [&](int64_t i) { return i ? term(i - 1) : bias; }) : reduce(n_terms, term) + bias;
          if (has(44) && o == O - 1) sum -= bias;
          if (has(45)) sum = reduce(n_terms, term) > 0 ? sum : Real(0), sum = sum > 0 ? sum : Real(0);  // relu before the bias as well
          if (has(46)) { store(out_.data<Stored>(), at, sum > 0 ? sum : sum * Real(0.01)); continue; }
          if (has(47)) { store(out_.data<Stored>(), at, sum > 6 ? Real(6) : sum > 0 ? sum : Real(0)); continue; }
          if (has(48) && n == N - 1 && p == P - 1) sum = 0;
          if (has(49)) { store(out_.data<Stored>(), at, sum); continue; }
          if (has(50)) sum = as_stored(sum - bias) + bias;
          store(out_.data<Stored>(), at, sum > 0 ? sum : Real(0));
        }
}
KBENCH_EXPORT(run, run)
