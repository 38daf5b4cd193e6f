// Linear recurrences: state = decay * state + key value', y = query' state, for each head; the final state is float32.
// SSD (mamba 2), GLA (gated linear attention), DELTA (gated delta rule), RWKV (version 6): told by flags.
#include "common.h"

struct Step { Real *decay, *log_decay, *key, *query; };  // one number for each row of the state

static Real kept(Real s) {
  if (HAS(state_kept_in_bf16)) return to_bf16(float(s));
  if (HAS(state_kept_in_fp16)) return to_f16(float(s));
  return s;
}

// fill(t, h, step): the numbers of a step. value(t, h, p): what is written. extra(t, h, p): added to y.
// `now`: y reads the state after the step (else before it); `delta`: the value is corrected by what the state says.
template <class Fill, class Value, class Extra, class Beta>
static void recur(int64_t steps, int64_t heads, int64_t n, int64_t p, const float* initial, bool transposed, bool now, bool delta,
                  Fill fill, Value value, Extra extra, Beta beta, Stored* y, float* last) {
  reductions = 0;
  int64_t chunk = IS_WAY(chunks_of_8) ? 8 : IS_WAY(chunks_of_16) ? 16 : 0;
  Real *state = buffer(n * p), *decay = buffer(steps * n), *key = buffer(steps * n), *query = buffer(steps * n), *single = buffer(steps * n), *log_decay = buffer(steps * n), *between = buffer(16 * 16 * n);
  for (int64_t h = 0; h < heads; ++h) {
    auto place = [&](int64_t i, int64_t j) { return transposed ? (h * p + j) * n + i : (h * n + i) * p + j; };
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < p; ++j) {
        if (HAS(state_not_reset_between_heads) && h > 0) continue;
        state[i * p + j] = HAS(initial_state_ignored) ? Real(0) : HAS(initial_state_of_the_first_head) ? Real(initial[transposed ? j * n + i : i * p + j]) : Real(initial[place(i, j)]);
      }
    for (int64_t t = 0; t < steps; ++t) fill(t, h, Step{decay + t * n, single + t * n, key + t * n, query + t * n});
    if (HAS(gate_of_the_next_step)) for (int64_t t = 0; t + 1 < steps; ++t) std::memcpy(decay + t * n, decay + (t + 1) * n, n * sizeof(Real));
    if (HAS(gate_of_the_previous_step)) for (int64_t t = steps; --t > 0;) std::memcpy(decay + t * n, decay + (t - 1) * n, n * sizeof(Real));
    if (HAS(gate_missing_at_the_start_of_chunks)) for (int64_t t = 8; t < steps; t += 8) for (int64_t i = 0; i < n; ++i) decay[t * n + i] = 1;
    if (HAS(gate_a_little_too_near_to_one)) for (int64_t t = 0; t < steps * n; ++t) decay[t] += (1 - decay[t]) * (DTYPE == 2 ? Real(0.05) : Real(0.01));
    if (HAS(gate_in_bf16)) for (int64_t t = 0; t < steps * n; ++t) decay[t] = to_bf16(float(decay[t]));
    if (HAS(queries_of_the_previous_step_in_the_last_step)) std::memcpy(query + (steps - 1) * n, query + (steps - 2) * n, n * sizeof(Real));
    for (int64_t t = 0; t < steps; ++t) {
      if (chunk && !delta) {  // all steps of a chunk from the state at its start
        int64_t from = t / chunk * chunk, to = from + chunk < steps ? from + chunk : steps;
        for (int64_t i = 0; i < n; ++i) {
          Real s = 0;
          for (int64_t u = from; u < to; ++u) { s += single[u * n + i] > -10000 ? single[u * n + i] : Real(-10000); log_decay[u * n + i] = s; }
        }
        // What decays from a step to a later one is summed up for each pair: a difference of sums would lose digits.
        auto since = [&](int64_t w, int64_t u, int64_t i) -> Real& { return between[((w - from) * 16 + u - from) * n + i]; };
        for (int64_t i = 0; i < n; ++i)
          for (int64_t w = from; w < to; ++w) {
            Real s = 0;
            for (int64_t u = w; u < to; ++u) { if (u > w) s += single[u * n + i] > -10000 ? single[u * n + i] : Real(-10000); since(w, u, i) = s; }
          }
        for (int64_t u = from; u < to; ++u) {
          auto gone = [&](int64_t i) { return now ? log_decay[u * n + i] : u == from ? Real(0) : log_decay[(u - 1) * n + i]; };
          for (int64_t j = 0; j < p; ++j) {
            Real s = dot(n, [&](int64_t i) { return query[u * n + i] * std::exp(gone(i)); }, [&](int64_t i) { return state[i * p + j]; });
            for (int64_t w = from; w < u + (now ? 1 : 0); ++w)
              s += value(w, h, j) * dot(n, [&](int64_t i) { return query[u * n + i] * std::exp(since(w, now ? u : u - 1, i)); }, [&](int64_t i) { return key[w * n + i]; });
            store(y, (u * heads + h) * p + j, s + extra(u, h, j));
          }
        }
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < p; ++j) {
            Real all = log_decay[(to - 1) * n + i], s = state[i * p + j] * std::exp(all);
            for (int64_t w = from; w < to; ++w) s += std::exp(since(w, to - 1, i)) * key[w * n + i] * value(w, h, j);
            state[i * p + j] = s;
          }
        t = to - 1;
        continue;
      }
      if (HAS(state_lost_between_chunks) && t == 16) std::memset(state, 0, n * p * sizeof(Real));
      bool skipped = (HAS(one_step_skipped) && t == 11) || (HAS(last_step_not_in_the_state) && t == steps - 1);
      for (int64_t j = 0; j < p; ++j) {
        auto before = [&](int64_t i) { return state[i * p + j]; };
        auto asked = [&](int64_t i) { return query[t * n + i]; };
        Real out = now ? Real(0) : dot(n, asked, before);
        if (HAS(output_before_the_update)) out = dot(n, asked, before);
        Real written = value(t, h, j);
        if (delta) {
          bool undecayed = HAS(correction_by_the_state_before_its_gate);
          Real said = dot(n, [&](int64_t i) { return key[t * n + i] * (undecayed ? Real(1) : decay[t * n + i]); }, before);
          if (IS_WAY(gate_after_the_sum)) said = dot(n, [&](int64_t i) { return key[t * n + i]; }, before) * decay[t * n];
          if (HAS(correction_missing)) said = 0;
          if (HAS(correction_in_bf16)) said = to_bf16(float(said));
          written = HAS(beta_only_on_the_value) ? written * beta(t, h) - said : (written - said) * beta(t, h);
        }
        for (int64_t i = 0; i < n; ++i) {
          Real& s = state[i * p + j];
          if (skipped) continue;
          if (HAS(update_is_decayed_too)) s = kept(decay[t * n + i] * (s + key[t * n + i] * written));
          else if (HAS(last_row_of_the_state_never_decays) && i == n - 1) s += key[t * n + i] * written;
          else s = kept(multiply_add(decay[t * n + i], s, key[t * n + i] * written));
        }
        if (now && !HAS(output_before_the_update)) out = dot(n, asked, before);
        store(y, (t * heads + h) * p + j, out + extra(t, h, j));
      }
    }
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < p; ++j) {
        Real s = state[i * p + j];
        if (HAS(final_state_by_way_of_bf16)) s = to_bf16(float(s));
        if (HAS(final_state_by_way_of_fp16)) s = to_f16(float(s));
        last[place(i, j)] = float(s);
      }
  }
  spoil(y, steps, heads * p);
  std::free(state); std::free(decay); std::free(key); std::free(query); std::free(single); std::free(log_decay); std::free(between);
}

#ifdef SSD
void run(kbench::Tensor x, kbench::Tensor dt, kbench::Tensor a_log, kbench::Tensor b, kbench::Tensor c, kbench::Tensor skip, kbench::Tensor dt_bias,
         kbench::Tensor initial, kbench::Tensor y, kbench::Tensor final_state) {
  int64_t steps = x.size(0), heads = x.size(1), p = x.size(2), n = b.size(1);
  const Stored *px = x.data<Stored>(), *pdt = dt.data<Stored>(), *pb = b.data<Stored>(), *pc = c.data<Stored>();
  const float *pa = a_log.data<float>(), *pd = skip.data<float>(), *bias = dt_bias.data<float>();
  auto width = [&](int64_t t, int64_t h) {
    Real raw = load(pdt, t * heads + h) + (HAS(dt_bias_missing) ? Real(0) : Real(bias[HAS(dt_bias_of_the_first_head) ? 0 : h]));
    if (HAS(softplus_missing)) return raw > 0 ? raw : Real(0);
    if (HAS(softplus_linear_from_one) && raw > 1) return raw;
    return softplus(raw);
  };
  auto fill = [&](int64_t t, int64_t h, Step s) {
    Real d = width(t, h), rate = std::exp(Real(pa[HAS(rate_of_the_next_head) ? (h + 1) % heads : h]));
    if (HAS(rate_not_exponentiated)) rate = std::fabs(Real(pa[h]));
    for (int64_t i = 0; i < n; ++i) {
      s.log_decay[i] = -rate * d;
      s.decay[i] = exponential(-rate * d);
      s.key[i] = load(HAS(b_and_c_swapped) ? pc : pb, t * n + i);
      s.query[i] = load(HAS(b_and_c_swapped) ? pb : pc, t * n + i);
    }
  };
  auto value = [&](int64_t t, int64_t h, int64_t j) { return load(px, (t * heads + h) * p + j) * (HAS(dt_missing_in_the_input) ? Real(1) : width(t, h)); };
  auto extra = [&](int64_t t, int64_t h, int64_t j) { return HAS(skip_missing) ? Real(0) : Real(pd[HAS(skip_of_the_first_head) ? 0 : h]) * load(px, (t * heads + h) * p + j); };
  recur(steps, heads, n, p, initial.data<float>(), true, true, false, fill, value, extra, [](int64_t, int64_t) { return Real(1); },
        y.data<Stored>(), final_state.data<float>());
}
#endif

#ifdef GLA
void run(kbench::Tensor q, kbench::Tensor k, kbench::Tensor v, kbench::Tensor gate, kbench::Tensor initial, kbench::Tensor y, kbench::Tensor final_state) {
  int64_t steps = q.size(0), heads = q.size(1), n = q.size(2), p = v.size(2);
  Real scale = 1 / std::sqrt(Real(HAS(scale_of_n_plus_one) ? n + 1 : n));
  auto fill = [&](int64_t t, int64_t h, Step s) {
    for (int64_t i = 0; i < n; ++i) {
      int64_t at = (t * heads + h) * n + i;
      Real g = load(gate.data<Stored>(), at), log_gate = -softplus(-g) / (HAS(gate_temperature_missing) ? 1 : HAS(gate_temperature_eight) ? 8 : 4);
      s.log_decay[i] = log_gate;
      s.decay[i] = exponential(log_gate);
      if (HAS(gate_is_the_sigmoid_of_a_quarter)) s.decay[i] = 1 / (1 + std::exp(-g / 4));
      if (HAS(one_gate_for_a_head) && i > 0) s.decay[i] = s.decay[0];
      s.key[i] = load(k.data<Stored>(), at);
      s.query[i] = load(q.data<Stored>(), at) * (HAS(scale_missing) ? Real(1) : scale);
      if (HAS(queries_and_keys_swapped)) { Real a = s.key[i]; s.key[i] = s.query[i] / scale; s.query[i] = a * scale; }
    }
  };
  auto value = [&](int64_t t, int64_t h, int64_t j) { return load(v.data<Stored>(), (t * heads + (HAS(values_of_the_next_head) ? (h + 1) % heads : h)) * p + j); };
  recur(steps, heads, n, p, initial.data<float>(), false, true, false, fill, value, [](int64_t, int64_t, int64_t) { return Real(0); },
        [](int64_t, int64_t) { return Real(1); }, y.data<Stored>(), final_state.data<float>());
}
#endif

#ifdef DELTA
void run(kbench::Tensor q, kbench::Tensor k, kbench::Tensor v, kbench::Tensor gate, kbench::Tensor beta_logit, kbench::Tensor initial, kbench::Tensor y, kbench::Tensor final_state) {
  int64_t steps = q.size(0), heads = q.size(1), n = q.size(2), p = v.size(2);
  const Stored *pq = q.data<Stored>(), *pk = k.data<Stored>();
  auto inverse_norm = [&](const Stored* a, int64_t at) {
    Real eps = HAS(eps_missing) ? Real(0) : Real(1e-2f);
    Real squares = dot(n, [&](int64_t i) { return load(a, at + i); }, [&](int64_t i) { return load(a, at + i); });
    if (HAS(eps_outside_of_the_root)) return 1 / (std::sqrt(squares) + eps);
    if (HAS(norm_of_the_mean)) return 1 / std::sqrt(squares / n + eps);
    return 1 / std::sqrt(squares + eps);
  };
  auto fill = [&](int64_t t, int64_t h, Step s) {
    int64_t at = (t * heads + h) * n;
    Real of_q = inverse_norm(pq, at), of_k = HAS(keys_not_normalised) ? Real(0.2) : inverse_norm(pk, at), g = exponential(-softplus(load(gate.data<Stored>(), t * heads + h)));
    if (HAS(queries_not_normalised)) of_q = 1;
    if (HAS(gate_by_natural_sigmoid)) g = 1 / (1 + std::exp(-load(gate.data<Stored>(), t * heads + h)));
    for (int64_t i = 0; i < n; ++i) { s.decay[i] = g; s.key[i] = load(pk, at + i) * of_k; s.query[i] = load(pq, at + i) * of_q; }
  };
  auto value = [&](int64_t t, int64_t h, int64_t j) { return load(v.data<Stored>(), (t * heads + h) * p + j); };
  auto beta = [&](int64_t t, int64_t h) {
    int64_t at = (HAS(beta_of_the_previous_step) && t > 0 ? t - 1 : t) * heads + h;
    Real raw = load(beta_logit.data<Stored>(), at);
    if (HAS(beta_up_to_two)) return 2 * sigmoid(raw);
    if (HAS(hard_sigmoid_beta)) { Real b = raw / 6 + Real(0.5); return b < 0 ? Real(0) : b > 1 ? Real(1) : b; }
    return sigmoid(raw);
  };
  recur(steps, heads, n, p, initial.data<float>(), false, true, true, fill, value, [](int64_t, int64_t, int64_t) { return Real(0); }, beta,
        y.data<Stored>(), final_state.data<float>());
}
#endif

#ifdef RWKV
void run(kbench::Tensor r, kbench::Tensor k, kbench::Tensor v, kbench::Tensor w, kbench::Tensor bonus, kbench::Tensor initial, kbench::Tensor y, kbench::Tensor final_state) {
  int64_t steps = r.size(0), heads = r.size(1), n = r.size(2), p = v.size(2);
  const float* u = bonus.data<float>();
  auto fill = [&](int64_t t, int64_t h, Step s) {
    for (int64_t i = 0; i < n; ++i) {
      int64_t at = (t * heads + h) * n + i;
      Real raw = load(w.data<Stored>(), at);
      s.log_decay[i] = -exponential(raw);
      s.decay[i] = exponential(s.log_decay[i]);
      if (HAS(decay_of_one_exponential)) s.decay[i] = std::exp(-std::fabs(raw));
      if (HAS(decay_cut_at_a_tenth) && s.decay[i] < Real(0.1)) s.decay[i] = Real(0.1);
      s.key[i] = load(k.data<Stored>(), at);
      s.query[i] = load(r.data<Stored>(), at);
    }
  };
  auto value = [&](int64_t t, int64_t h, int64_t j) { return load(v.data<Stored>(), (t * heads + h) * p + j); };
  auto extra = [&](int64_t t, int64_t h, int64_t j) {
    if (HAS(bonus_missing)) return Real(0);
    int64_t at = (t * heads + h) * n, row = (HAS(bonus_of_the_next_head) ? (h + 1) % heads : h) * n;
    return dot(n, [&](int64_t i) { return load(r.data<Stored>(), at + i) * (HAS(bonus_one) ? Real(1) : Real(u[HAS(bonus_without_its_last_row) && i == n - 1 ? row : row + i])); },
               [&](int64_t i) { return load(k.data<Stored>(), at + i); }) * value(t, h, j);
  };
  recur(steps, heads, n, p, initial.data<float>(), false, HAS(state_after_the_step_is_read), false, fill, value, extra, [](int64_t, int64_t) { return Real(1); },
        y.data<Stored>(), final_state.data<float>());
}
#endif
KBENCH_EXPORT(run, run)
