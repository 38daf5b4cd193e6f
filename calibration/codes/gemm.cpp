// Products of quantised matrices, out[i, j] = sum over k of a[i, k] * b[j, k], with scales.
// KIND 0: int8, row and column maxima (scales are a 127th), bias. 1: int8 less a zero point of each row, int32 sums. 2: e4m3, row and
// column scales. 3: e4m3, scales of 32 (a) and 32 x 32 (b). 4: a floating, b two int4 in a byte, groups of 32 with
// scales and zero points.
#include "sums.h"
constexpr int64_t kBlock = 32;

struct Matrices {
  Tensor a, b;
  const float *row_scales, *column_scales;  // of KIND 3 by blocks
  const Stored* bias;
  const Stored* group_scales;
  const int8_t* zeros;
};

template <class R> R left(const Matrices& m, int64_t i, int64_t k) {
  int64_t depth = m.a.size(1);
  if (KIND <= 1) {
    int8_t v = m.a.data<int8_t>()[i * depth + k];
    return DEFECT == 7 ? R(uint8_t(v)) : R(v);
  }
  if (KIND == 4) return get(m.a.data<Stored>()[i * depth + k]);
  uint8_t code = m.a.data<uint8_t>()[i * depth + k];
  if (DEFECT == 18 && (code & 0x78) <= 0x28) return 0;  // small codes flushed
  if (DEFECT == 17) return kE5M2.decode(code);
  return kE4M3.decode(code);
}
template <class R> R right(const Matrices& m, int64_t j, int64_t k) {
  int64_t depth = m.a.size(1);
  if (KIND <= 1) {
    if (DEFECT == 25 && m.b.data<int8_t>()[j * depth + k] == -128) return -127;
    return m.b.data<int8_t>()[j * depth + k];
  }
  if (KIND == 4) {
    int byte = uint8_t(m.b.data<int8_t>()[(j * depth + k) / 2]), groups = int(depth / kBlock);
    if (DEFECT == 26) byte = m.b.data<int8_t>()[(j * depth + k) / 2];
    int odd = int(k % 2) ^ (DEFECT == 13);
    int q = odd ? byte >> 4 : byte & 15;
    if (DEFECT == 14) q = (q ^ 8) - 8;
    int64_t at = j * groups + (DEFECT == 12 ? smaller<int64_t>((k + 1) / kBlock, groups - 1) : k / kBlock);
    if (DEFECT == 11) at = j * groups;
    if (DEFECT == 10) at = (k / kBlock) * m.b.size(0) + j;
    int pair = uint8_t(m.zeros[at / 2]);
    int zero = (at % 2) ^ (DEFECT == 16) ? pair >> 4 : pair & 15;
    if (DEFECT == 15) zero += 1;
    if (DEFECT == 27) zero = 8;
    R scale = get(m.group_scales[DEFECT == 28 && j % 16 == 15 ? at - at % groups : at]);
    if (DEFECT == 29) zero = 0;
    if (DEFECT == 30) return R(q) * scale - R(zero);
    R w = WAY == 2 ? fused(R(q), scale, -R(zero) * scale) : R(q - zero) * scale;
    return WAY == 3 ? R(stored(w)) : w;
  }
  return kE4M3.decode(m.b.data<uint8_t>()[j * depth + k]);
}
// Scale of the block of k in KIND 3.
template <class R> R block_scale(const Matrices& m, int64_t i, int64_t j, int64_t k) {
  int64_t blocks = m.a.size(1) / kBlock, g = k / kBlock;
  if (DEFECT == 12) g = smaller<int64_t>((k + 1) / kBlock, blocks - 1);
  if (DEFECT == 11) g = 0;
  int64_t of_a = i * blocks + g, of_b = (j / kBlock) * blocks + g;
  if (DEFECT == 10) of_b = g * (m.b.size(0) / kBlock) + j / kBlock;
  if (DEFECT == 13) of_b = (j + 1) / kBlock < m.b.size(0) / kBlock ? (j + 1) / kBlock * blocks + g : of_b;
  if (DEFECT == 14 && i % 8 == 7) of_a = i / 8 * 8 * blocks + g;
  if (DEFECT == 1) of_a = (i ^ 1) * blocks + g;
  R a = m.row_scales[of_a], b = m.column_scales[of_b];
  if (DEFECT == 20) b = R(through_brain(b));
  if (DEFECT == 3) b = 1;
  if (DEFECT == 15) a = 1;
  return a * b;
}

template <class R> R element(const Matrices& m, int64_t i, int64_t j) {
  int64_t depth = m.a.size(1), where = i * m.b.size(0) + j;
  auto a = [&](int64_t k) { return left<R>(m, i, k); };
  auto b = [&](int64_t k) { return right<R>(m, j, k); };
  if (KIND == 3 || (KIND == 4 && WAY == 1)) {
    if (WAY == 1) {  // each block's sum is scaled
      R sum = 0;
      for (int64_t g = 0; g < depth; g += kBlock)
        if (KIND == 3) sum += block_scale<R>(m, i, j, g) * product<R>(kBlock, where, [&](int64_t k) { return a(g + k); }, [&](int64_t k) { return b(g + k); });
        else sum += product<R>(kBlock, where, [&](int64_t k) { return a(g + k); }, [&](int64_t k) { return b(g + k); });
      return sum;
    }
    if (DEFECT == 16) {  // the scales of the last block for all
      return block_scale<R>(m, i, j, depth - 1) * product<R>(depth, where, a, b);
    }
    return product<R>(depth, where, a, [&](int64_t k) { return b(k) * block_scale<R>(m, i, j, k); });
  }
  if (KIND == 0 && DEFECT == 6) {  // sums of 4 saturate as int16
    R sum = 0;
    for (int64_t k = 0; k < depth; k += 4) {
      R part = 0;
      for (int64_t l = k; l < smaller(k + 4, depth); ++l) part += a(l) * b(l);
      sum += smaller(larger(part, R(-32768)), R(32767));
    }
    return sum;
  }
  return product<R>(depth, where, a, b);
}

template <class R> void multiply(Matrices m, Tensor out) {
  int64_t rows = m.a.size(0), columns = m.b.size(0);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      int64_t from = DEFECT == 9 && i >= 16 && j < 16 ? j ^ 1 : j, above = DEFECT == 19 && i == rows - 1 ? i - 1 : i;
      R sum = element<R>(m, above, from);
      if (DEFECT == 23) sum = R(stored(sum));
      if (KIND == 0 || KIND == 2) {
        R a = m.row_scales[DEFECT == 1 ? (i ^ 1) : DEFECT == 14 && i % 8 == 7 ? i - 7 : i];
        R b = m.column_scales[DEFECT == 2 ? (j + 1) % columns : DEFECT == 24 ? i : DEFECT == 11 ? 0 : DEFECT == 13 && j % 16 == 15 ? j - 15 : j];
        if (KIND == 0) a = WAY == 2 ? a * (1 / R(127)) : a / 127, b = DEFECT == 8 ? b / 128 : b / 127;
        if (DEFECT == 3) b = 1;
        if (DEFECT == 15) a = 1;
        if (DEFECT == 20) b = R(through_brain(b));
        if (DEFECT == 21 && m.bias) sum += R(get(m.bias[j]));
        sum = WAY == 1 ? sum * (a * b) : WAY == 2 ? sum * b * a : sum * a * b;
        if (DEFECT == 22) sum += R(get(m.bias[j]));
      }
      if (m.bias && DEFECT != 4 && DEFECT != 21) sum += R(get(m.bias[DEFECT == 5 ? (j + columns - 1) % columns : j]));
      if (KIND == 3) store_float(out.data<float>(), i, j, rows, columns, sum);
      else store(out.data<Stored>(), i, j, rows, columns, sum);
    }
}

// KIND 1: whole numbers, exact in any order.
template <class Sum> void multiply_integers(Tensor a, Tensor b, const int32_t* zeros, Tensor out) {
  int64_t rows = a.size(0), columns = b.size(0), depth = a.size(1);
  const int8_t *x = a.data<int8_t>(), *w = b.data<int8_t>();
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      Sum zero = Sum(zeros[DEFECT == 1 ? (i ^ 1) : DEFECT == 14 && i % 8 == 7 ? i - 7 : DEFECT == 2 ? j % rows : i]);
      if (DEFECT == 3) zero = 0;
      if (DEFECT == 4) zero = -zero;
      if (DEFECT == 5) zero += 1;
      if (DEFECT == 20) zero = Sum(int8_t(zeros[i]));
      auto term = [&](int64_t k) -> Sum {
        int8_t given = x[i * depth + k], weight = w[j * depth + k];
        if (DEFECT == 25 && weight == -128) weight = -127;
        if (DEFECT == 26 && given == -128) given = 127;
        Sum v = DEFECT == 7 ? Sum(uint8_t(given)) : Sum(given);
        if (DEFECT == 8) v = Sum(uint8_t(weight)) * (v - zero) / 1;
        else if (DEFECT == 27) v = Sum(int8_t(int64_t(v - zero))) * Sum(weight);  // the difference in 8 bits
        else if (DEFECT == 28) v = Sum(int16_t(int64_t((v - zero) * Sum(weight))));
        else v = (v - zero) * Sum(weight);
        return v;
      };
      Sum sum = 0;
      if (WAY == 1) {  // the zero point taken out of the sum
        Sum of_weights = 0;
        for (int64_t k = 0; k < depth; ++k) {
          sum += Sum(x[i * depth + k]) * Sum(w[j * depth + k]);
          if (!(DEFECT == 29 && k == depth - 1)) of_weights += Sum(w[j * depth + k]);
        }
        sum -= zero * of_weights * (DEFECT == 30 ? 2 : 1);
        if (DEFECT == 31) sum += zero * of_weights * 2;
      } else sum = total<Sum>(depth, i * columns + j, term);
      if (DEFECT == 16) sum = Sum(through_brain(sum));
      if (DEFECT == 17) sum = Sum(through_half(sum));
      if (DEFECT == 18) sum = smaller(larger(sum, Sum(-32768)), Sum(32767));
      if (DEFECT == 19) sum = Sum(through_tf32(sum));
      out.data<int32_t>()[i * columns + j] = int32_t(OUT ? spoiled(double(sum), i, j, rows, columns) : double(sum));
      if (DEFECT == 9 && i >= 16 && j < 16 && j % 2 == 1) {
        int32_t* pair = out.data<int32_t>() + i * columns + j - 1;
        int32_t kept = pair[0];
        pair[0] = pair[1];
        pair[1] = kept;
      }
    }
}
#ifndef SUM_TYPE
#define SUM_TYPE int32_t
#endif

#if KIND == 0
void kernel(Tensor a, Tensor b, Tensor row_scales, Tensor column_scales, Tensor bias, Tensor out) {
  multiply<real>({a, b, row_scales.data<float>(), column_scales.data<float>(), bias.data<Stored>(), nullptr, nullptr}, out);
}
#elif KIND == 1
void kernel(Tensor a, Tensor b, Tensor zeros, Tensor out) { multiply_integers<SUM_TYPE>(a, b, zeros.data<int32_t>(), out); }
#elif KIND == 4
void kernel(Tensor a, Tensor b, Tensor scales, Tensor zeros, Tensor out) {
  multiply<real>({a, b, nullptr, nullptr, nullptr, scales.data<Stored>(), zeros.data<int8_t>()}, out);
}
#else
void kernel(Tensor a, Tensor b, Tensor row_scales, Tensor column_scales, Tensor out) {
  multiply<real>({a, b, row_scales.data<float>(), column_scales.data<float>(), nullptr, nullptr, nullptr}, out);
}
#endif
KBENCH_EXPORT(run, kernel)
