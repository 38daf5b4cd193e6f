// Spectral normalisation by three steps of power iteration: w / sigma, with u, v and sigma of the last step.
#include "common.h"
void run(kbench::Tensor w_, kbench::Tensor u_, kbench::Tensor out_, kbench::Tensor nu_, kbench::Tensor nv_) {
  reductions = 0;
  const int64_t M = w_.size(0), N = w_.size(1);
  const Stored* w = w_.data<Stored>();
  const Real eps = has(30) ? Real(1) : Real(1e-6L);
  std::vector<Real> u(M), v(N);
  for (int64_t i = 0; i < M; ++i) u[i] = u_.data<float>()[i];
  auto normalise = [&](std::vector<Real>& x) {
    const int64_t n = int64_t(x.size());
    Real square = reduce(n, [&](int64_t i) { return x[i] * x[i]; });
    Real length = has(31) ? square : has(32) ? reduce(n, [&](int64_t i) { return std::fabs(x[i]); }) : std::sqrt(square);
    Real r = ALT == 1 && ACC ? inverse_root(std::max(square, eps * eps)) : 1 / (has(30) ? length + eps : std::max(length, eps));
    for (auto& y : x) {
      y = ALT == 2 && ACC ? y / std::max(length, eps) : y * r;
      if (has(33)) y = in_bf16(y);
      if (has(34)) y = in_f16(y);
      if (has(35)) y = in_tf32(y);
    }
    if (has(36)) x.back() = 0;
    if (has(37) && n % 8) for (int64_t i = n / 8 * 8; i < n; ++i) x[i] /= r;  // the partial tile is not normalised
  };
  const int steps = has(38) ? 2 : has(39) ? 4 : 3;
  for (int step = 0; step < steps; ++step) {
    const std::vector<Real> old = u;
    for (int64_t j = 0; j < N; ++j) v[j] = reduce(M, [&](int64_t i) { return Real(get(w[i * N + j])) * u[i]; });
    if (!has(40)) normalise(v);
    for (int64_t i = 0; i < M; ++i) u[i] = reduce(N, [&](int64_t j) { return Real(get(w[i * N + j])) * v[has(41) ? (j + 1) % N : j]; });
    if (!has(42) || step < 2) normalise(u);
    if (has(43) && step == 2) u[0] = old[0];
    if (has(44) && step == 2) u = old;
  }
  Real sigma = ALT == 3 && ACC
                   ? reduce(N, [&](int64_t j) { return v[j] * reduce(M, [&](int64_t i) { return Real(get(w[i * N + j])) * u[i]; }); })
                   : reduce(M, [&](int64_t i) { return u[i] * reduce(N, [&](int64_t j) { return Real(get(w[i * N + j])) * v[j]; }); });
  if (has(45)) sigma = std::sqrt(sigma);
  if (has(46)) sigma = in_bf16(sigma);
  if (has(47)) { Real most = 0; for (int64_t i = 0; i < M * N; ++i) most = std::max(most, std::fabs(Real(get(w[i])))); sigma = most * std::sqrt(Real(N)); }
  if (has(48)) sigma = std::max(sigma, Real(1)) * Real(1.002L);
  const Real r = 1 / sigma;
  for (int64_t i = 0; i < M * N; ++i) {
    Real x = get(w[i]);
    Real y = RECIP ? x * r : x / sigma;
    if (has(49) && i / N == M - 1) y = x;
    if (has(50)) y = x * sigma;
    if (has(51) && x < Real(-2.5)) y = 0;
    store(out_.data<Stored>(), i, y);
  }
  for (int64_t i = 0; i < M; ++i) store(nu_.data<float>(), i, has(52) ? -u[i] : u[i]);
  for (int64_t j = 0; j < N; ++j) store(nv_.data<float>(), j, v[j]);
}
KBENCH_EXPORT(run, run)
