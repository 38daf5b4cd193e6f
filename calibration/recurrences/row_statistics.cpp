// Each row has its mean of squares, length, variance (n - 1), sum of |x|, smallest and largest number, and where the largest is.
#include "common.h"
void run(kbench::Tensor x_, kbench::Tensor square_, kbench::Tensor norm_, kbench::Tensor var_, kbench::Tensor abs_, kbench::Tensor low_,
         kbench::Tensor high_, kbench::Tensor place_) {
  reductions = 0;
  const int64_t N = x_.size(0), D = x_.size(1);
  Real mean_before = 0;
  for (int64_t n = 0; n < N; ++n) {
    const Stored* row = x_.data<Stored>() + n * D;
    auto x = [&](int64_t i) { return Real(get(row[i])); };
    Real squares = reduce(D, [&](int64_t i) { return x(i) * x(i); });
    store(square_.data<float>(), n, divide(squares, Real(has(30) ? D - 1 : D)));
    Real length = ALT == 1 && ACC ? squares * inverse_root(squares) : std::sqrt(squares);
    if (has(31)) length = std::sqrt(squares + Real(0.5));
    if (has(32)) length = squares;
    if (has(33)) length = std::sqrt(squares / D);
    store(norm_.data<Stored>(), n, length);
    Real mean, spread;
    if (ALT == 2 && ACC) {  // Welford
      mean = spread = 0;
      for (int64_t i = 0; i < D; ++i) { Real d = x(i) - mean; mean += d / (i + 1); spread += d * (x(i) - mean); }
    } else if (ALT == 3 && ACC) {  // statistics of blocks, merged
      mean = spread = 0;
      int64_t count = 0;
      for (int64_t i = 0; i < D; i += 32) {
        int64_t m = std::min<int64_t>(32, D - i);
        Real block_mean = 0, block_spread = 0;
        for (int64_t j = i; j < i + m; ++j) block_mean += x(j) / m;
        for (int64_t j = i; j < i + m; ++j) block_spread += (x(j) - block_mean) * (x(j) - block_mean);
        Real d = block_mean - mean;
        if (!has(34)) spread += d * d * count * m / (count + m);  // 34: the means' own spread is forgotten
        spread += block_spread;
        mean += d * m / (count + m);
        count += m;
      }
    } else {
      mean = divide(reduce(D, x), Real(D));
      const Real own = mean;
      if (has(35)) mean = mean_before;
      mean_before = own;
      if (has(36)) mean = 0;
      spread = reduce(D, [&](int64_t i) { return (x(i) - mean) * (x(i) - mean); });
    }
    Real var = divide(spread, Real(has(37) ? D : has(38) ? D - 2 : D - 1));
    if (has(39)) var = std::sqrt(var);
    store(var_.data<float>(), n, var);
    Real sum = reduce(D, [&](int64_t i) { return std::fabs(x(i)); });
    if (has(40)) sum = std::fabs(reduce(D, x));
    if (has(41)) sum /= D;
    store(abs_.data<Stored>(), n, sum);
    Real low = x(0), high = x(0);
    int64_t place = 0;
    for (int64_t i = has(43) ? 0 : 1; i < D - (has(44) ? 1 : 0); ++i) {
      if (has(43) && i % 32 == 31) continue;  // the last lane never takes part
      low = std::min(low, x(i));
      if (ALT == 4 ? x(i) > high || (x(i) == high && i < place) : x(i) > high) { high = x(i); place = i; }
    }
    if (has(45)) low = std::fabs(low);
    if (has(46) && n % 64 == 63) place = std::max<int64_t>(place - 1, 0);
    if (has(47)) place += 1;
    if (has(48)) place = int8_t(place);
    if (has(49)) { high = in_bf16(high); low = in_bf16(low); }
    put(low_.data<Stored>()[n], low);
    put(high_.data<Stored>()[n], high);
    place_.data<int64_t>()[n] = place;
  }
}
KBENCH_EXPORT(run, run)
