// Mean of the rows of int8 codes that a mask picks, times a scale of each column; in float32, and as int8 codes again (step 1/4), with what was limited.
#include "common.h"
void run(kbench::Tensor codes_, kbench::Tensor scale_, kbench::Tensor mask_, kbench::Tensor mean_, kbench::Tensor out_, kbench::Tensor limited_) {
  reductions = 0;
  const int64_t B = codes_.size(0), S = codes_.size(1), D = codes_.size(2);
  const int8_t* codes = codes_.data<int8_t>();
  const float* scale = scale_.data<float>();
  const uint8_t* mask = mask_.data<uint8_t>();
  for (int64_t b = 0; b < B; ++b) {
    auto picked = [&](int64_t s) {
      if (has(30)) return mask[std::max<int64_t>(b - 1, 0) * S + s] != 0;
      if (has(31)) return mask[b * S + s] == 0;
      if (has(32)) return s ? mask[b * S + s - 1] != 0 : mask[b * S] != 0;
      if (has(33)) return true;
      return mask[b * S + s] != 0;
    };
    int64_t count = 0;
    bool limited_before = false;
    for (int64_t s = 0; s < S; ++s) count += picked(s);
    if (has(34)) count = S;
    if (has(35)) count += 1;
    for (int64_t d = 0; d < D; ++d) {
      auto code = [&](int64_t s) { return Real(has(36) ? uint8_t(codes[(b * S + s) * D + d]) : codes[(b * S + s) * D + d]); };
      auto c = [&](int64_t s) { return has(37) && code(s) == -128 ? Real(-127) : code(s); };
      const Real step = Real(scale[has(38) ? std::max<int64_t>(d - 1, 0) : d]);
      Real mean;
      if (ALT == 1 && ACC) {  // whole numbers are added
        int32_t sum = 0;
        for (int64_t s = 0; s < S; ++s) sum += picked(s) ? int32_t(c(s)) : 0;
        if (has(39)) sum = int8_t(sum);
        if (has(40)) sum = std::min(std::max(sum, -512), 511);
        mean = divide(Real(sum), Real(std::max<int64_t>(count, 1))) * step;
      } else if (ALT == 2 && ACC) {
        mean = divide(reduce(S, [&](int64_t s) { return picked(s) ? c(s) * step : Real(0); }), Real(std::max<int64_t>(count, 1)));
      } else {
        mean = divide(reduce(S, [&](int64_t s) { return picked(s) ? c(s) : Real(0); }) * step, Real(std::max<int64_t>(count, 1)));
      }
      if (has(41)) mean = mean / step;
      if (has(42) && b % 8 == 7 && d >= D / 16 * 16) mean = 0;
      store(mean_.data<float>(), b * D + d, mean);
      Real scaled = has(43) ? mean * Real(4.04) : mean * 4;
      Real whole = has(44) ? std::trunc(scaled) : has(45) ? std::floor(scaled) : has(46) ? std::ceil(scaled) : has(47) ? std::floor(scaled + Real(0.5)) + 1 : std::nearbyint(scaled);
      int32_t limited = int32_t(std::min(std::max(whole, Real(has(48) ? -100 : -128)), Real(has(48) ? 100 : 127)));
      if (has(49)) limited = int32_t(whole);  // wraps instead of saturating
      out_.data<int8_t>()[b * D + d] = int8_t(limited);
      bool is_limited = has(52) ? scaled > 127 : std::fabs(scaled) > (has(50) ? 110 : 127);
      limited_before = limited_before || is_limited;
      limited_.data<bool>()[b * D + d] = has(51) ? limited_before : is_limited;
    }
  }
}
KBENCH_EXPORT(run, run)
