#include "problem/element.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <variant>

#include "base/simd.hpp"

namespace kbench {
namespace {

// Meaning of the format's highest codes. Too large values saturate where there is no infinity.
enum class Top {
  infinity,  // IEEE 754: with the highest exponent come infinity, then NaN
  nan,       // the highest code alone is NaN
  number,    // no infinity, no NaN
};

// A binary floating-point format narrower than binary32: sign, exponent, mantissa, highest bit
// first; exponent 0 holds zero and the subnormals, the bias is half the exponent's range.
struct Format {
  int exponent_bits;
  int mantissa_bits;
  Top top;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int sign_shift() const { return exponent_bits + mantissa_bits; }
  constexpr std::uint32_t magnitude_mask() const { return (1U << sign_shift()) - 1; }
  constexpr std::uint32_t infinity() const {
    return magnitude_mask() >> mantissa_bits << mantissa_bits;
  }
  // The highest code that is not NaN: what too large values become.
  constexpr std::uint32_t highest() const {
    if (top == Top::infinity) return infinity();
    return top == Top::nan ? magnitude_mask() - 1 : magnitude_mask();
  }
  constexpr std::uint32_t nan() const {
    if (top == Top::infinity && mantissa_bits > 2) return infinity() | 1U << (mantissa_bits - 1);
    return magnitude_mask();  // torch's in float8_e5m2
  }
};

constexpr Format half{5, 10, Top::infinity};
constexpr Format bfloat{8, 7, Top::infinity};
constexpr Format e4m3fn{4, 3, Top::nan};
constexpr Format e5m2{5, 2, Top::infinity};
constexpr Format e2m1{2, 1, Top::number};

// Widens a code. Branches are selections, so that loops over it become vector code.
template <Format F>
constexpr float widen(std::uint32_t code) {
  constexpr int shift = 23 - F.mantissa_bits;
  constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - F.bias()) << 23;
  constexpr std::uint32_t unit = 1U << 23;  // one step of a binary32's exponent
  const std::uint32_t magnitude = code & F.magnitude_mask();
  const std::uint32_t sign = (code >> F.sign_shift() & 1U) << 31;
  std::uint32_t bits = (magnitude << shift) + rebias;
  if constexpr (F.bias() != 127) {
    // A subnormal m/2^M * 2^(1-bias) is the normal (1 + m/2^M) * 2^(1-bias) less 2^(1-bias).
    const float lifted = std::bit_cast<float>(bits + unit) - std::bit_cast<float>(rebias + unit);
    const bool subnormal = magnitude < (1U << F.mantissa_bits);
    bits = subnormal ? std::bit_cast<std::uint32_t>(lifted) : bits;
    if constexpr (F.top == Top::infinity) {
      bits = magnitude >= F.infinity() ? bits | 0x7f800000U : bits;
    } else if constexpr (F.top == Top::nan) {
      bits = magnitude == F.magnitude_mask() ? 0x7fc00000U : bits;
    }
  }
  return std::bit_cast<float>(bits | sign);
}

// Narrows a value: to nearest, ties to even.
template <Format F>
constexpr std::uint32_t narrow(float value) {
  constexpr int shift = 23 - F.mantissa_bits;
  constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - F.bias()) << 23;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  const std::uint32_t even = magnitude >> shift & 1U;
  std::uint32_t code = (magnitude - rebias + ((1U << (shift - 1)) - 1) + even) >> shift;
  if constexpr (F.bias() != 127) {
    // The sum with a float whose last place is the subnormals' step is rounded by the addition.
    constexpr std::uint32_t magic =
        static_cast<std::uint32_t>(127 + 1 - F.bias() - F.mantissa_bits + 23) << 23;
    const float sum = std::bit_cast<float>(magnitude) + std::bit_cast<float>(magic);
    const bool subnormal = magnitude < rebias + (1U << 23);
    code = subnormal ? std::bit_cast<std::uint32_t>(sum) - magic : code;
  }
  code = code > F.highest() ? F.highest() : code;
  const bool nan = magnitude > 0x7f800000U;
  code = nan ? F.nan() : code;
  const std::uint32_t sign = F.top == Top::number && nan ? 0 : bits >> 31;
  return code | sign << F.sign_shift();
}

// The value cut to binary32 with the last bit set where something was cut off (round to odd): a
// second rounding, to any of the formats, then gives what a single one would have given.
float to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || std::isnan(value)) return nearest;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::abs(static_cast<double>(nearest)) > std::abs(value)) --bits;
  return std::bit_cast<float>(bits | 1U);
}

template <class T>
T load(const std::byte* data, std::size_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(std::byte* data, std::size_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

// Codecs: a type with `read<Real>(data, index)` and `write(value, data, index)`.
template <Format F, class Code>
struct Narrow {
  template <class Real>
  static Real read(const std::byte* data, std::size_t index) {
    return static_cast<Real>(widen<F>(load<Code>(data, index)));
  }
  static void write(float value, std::byte* data, std::size_t index) {
    store(data, index, static_cast<Code>(narrow<F>(value)));
  }
  static void write(double value, std::byte* data, std::size_t index) {
    write(to_odd(value), data, index);
  }
};

template <Format F>
constexpr auto codes() {
  std::array<float, std::size_t{2} << F.sign_shift()> values{};
  for (std::size_t code = 0; code < values.size(); ++code)
    values[code] = widen<F>(static_cast<std::uint32_t>(code));
  return values;
}

template <Format F>
struct Byte : Narrow<F, std::uint8_t> {
  static constexpr auto values = codes<F>();
  template <class Real>
  static Real read(const std::byte* data, std::size_t index) {
    return static_cast<Real>(values[static_cast<std::size_t>(data[index])]);
  }
};

struct Nibble {
  static constexpr auto values = codes<e2m1>();
  template <class Real>
  static Real read(const std::byte* data, std::size_t index) {
    const auto pair = static_cast<unsigned>(data[index / 2]);
    return static_cast<Real>(values[index % 2 == 0 ? pair & 15U : pair >> 4]);
  }
  static void write(float value, std::byte* data, std::size_t index) {
    const unsigned pair = static_cast<unsigned>(data[index / 2]);
    const unsigned code = narrow<e2m1>(value);
    data[index / 2] =
        static_cast<std::byte>(index % 2 == 0 ? (pair & 0xf0U) | code : (pair & 0x0fU) | code << 4);
  }
  static void write(double value, std::byte* data, std::size_t index) {
    write(to_odd(value), data, index);
  }
};

struct Single {
  template <class Real>
  static Real read(const std::byte* data, std::size_t index) {
    return static_cast<Real>(load<float>(data, index));
  }
  template <class Real>
  static void write(Real value, std::byte* data, std::size_t index) {
    store(data, index, static_cast<float>(value));
  }
};

template <class T>
struct Integer {
  template <class Real>
  static Real read(const std::byte* data, std::size_t index) {
    return static_cast<Real>(load<T>(data, index));
  }
  template <class Real>
  static void write(Real value, std::byte* data, std::size_t index) {
    constexpr int digits = std::numeric_limits<T>::digits;
    constexpr Real end = static_cast<Real>(std::uint64_t{1} << digits);  // a power of two: exact
    constexpr Real lowest = std::is_signed_v<T> ? -end : Real{0};
    T result = 0;
    if (value >= end) {
      result = std::numeric_limits<T>::max();
    } else if (value <= lowest) {
      result = std::numeric_limits<T>::min();
    } else if (value == value) {
      result = static_cast<T>(value);
    }
    store(data, index, result);
  }
};

// An exponent alone. A sign is lost; what is halfway between two powers becomes the larger one, as
// in PyTorch (c10/util/Float8_e8m0fnu.h).
struct PowerOfTwo {
  template <class Real>
  static Real read(const std::byte* data, std::size_t index) {
    const auto code = static_cast<std::uint32_t>(data[index]);
    const std::uint32_t subnormal = 1U << 22;  // 2^-127 as a binary32
    const std::uint32_t bits = code == 0 ? subnormal : code << 23;
    return static_cast<Real>(code == 255 ? std::bit_cast<float>(0x7fc00000U)
                                         : std::bit_cast<float>(bits));
  }
  static void write(float value, std::byte* data, std::size_t index) {
    const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(value) & 0x7fffffffU;
    const std::uint32_t exponent = magnitude >> 23;
    const std::uint32_t fraction = magnitude & 0x7fffffU;
    const std::uint32_t half_way = 1U << 22;
    const bool goes_up = exponent == 0 ? fraction > half_way : fraction >= half_way;
    data[index] = static_cast<std::byte>(exponent == 255 || !goes_up ? exponent : exponent + 1);
  }
  static void write(double value, std::byte* data, std::size_t index) {
    write(to_odd(value), data, index);
  }
};

struct Boolean {
  template <class Real>
  static Real read(const std::byte* data, std::size_t index) {
    return data[index] != std::byte{0} ? Real{1} : Real{0};
  }
  template <class Real>
  static void write(Real value, std::byte* data, std::size_t index) {
    data[index] = static_cast<std::byte>(value != Real{0});
  }
};

template <class Codec, class Real>
KBENCH_SIMD void read_all(const std::byte* data, std::size_t first, std::span<Real> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = Codec::template read<Real>(data, first + i);
}

template <class Codec, class Real>
KBENCH_SIMD void write_all(std::span<const Real> values, std::byte* data, std::size_t first) {
  for (std::size_t i = 0; i < values.size(); ++i) Codec::write(values[i], data, first + i);
}

// Writes whole bytes of two nibbles; returns how many elements of `values` they took.
KBENCH_SIMD
std::size_t write_pairs(std::span<const float> values, std::byte* data) {
  const std::size_t pairs = values.size() / 2;
  for (std::size_t i = 0; i < pairs; ++i) {
    data[i] =
        static_cast<std::byte>(narrow<e2m1>(values[2 * i]) | narrow<e2m1>(values[2 * i + 1]) << 4);
  }
  return 2 * pairs;
}

void write_nibbles(std::span<const float> values, std::byte* data, std::size_t first) {
  if (first % 2 == 1 && !values.empty()) {
    Nibble::write(values[0], data, first++);
    values = values.subspan(1);
  }
  const std::size_t done = write_pairs(values, data + first / 2);
  if (done < values.size()) Nibble::write(values[done], data, first + done);
}

template <class Codec>
Scalar item(const std::byte* data, std::size_t index) {
  return Codec::template read<double>(data, index);
}
template <class T>
Scalar integer_item(const std::byte* data, std::size_t index) {
  return static_cast<std::int64_t>(load<T>(data, index));
}
Scalar boolean_item(const std::byte* data, std::size_t index) {
  return data[index] != std::byte{0};
}

struct Row {
  DType dtype;
  void (*to_float)(const std::byte*, std::size_t, std::span<float>);
  void (*to_double)(const std::byte*, std::size_t, std::span<double>);
  void (*from_float)(std::span<const float>, std::byte*, std::size_t);
  void (*from_double)(std::span<const double>, std::byte*, std::size_t);
  Scalar (*item)(const std::byte*, std::size_t);
};

template <class Codec>
constexpr Row row(DType dtype, Scalar (*one)(const std::byte*, std::size_t) = item<Codec>) {
  return {dtype,
          read_all<Codec, float>,
          read_all<Codec, double>,
          write_all<Codec, float>,
          write_all<Codec, double>,
          one};
}

// Rows in the order of DType.
constexpr Row table[] = {
    row<Single>(DType::float32),
    row<Narrow<half, std::uint16_t>>(DType::float16),
    row<Narrow<bfloat, std::uint16_t>>(DType::bfloat16),
    row<Byte<e4m3fn>>(DType::float8_e4m3fn),
    row<Byte<e5m2>>(DType::float8_e5m2),
    {DType::float4_e2m1, read_all<Nibble, float>, read_all<Nibble, double>, write_nibbles,
     write_all<Nibble, double>, item<Nibble>},
    row<Integer<std::int64_t>>(DType::int64, integer_item<std::int64_t>),
    row<Integer<std::int32_t>>(DType::int32, integer_item<std::int32_t>),
    row<Integer<std::int16_t>>(DType::int16, integer_item<std::int16_t>),
    row<Integer<std::int8_t>>(DType::int8, integer_item<std::int8_t>),
    row<Boolean>(DType::boolean, boolean_item),
    row<Integer<std::uint8_t>>(DType::uint8, integer_item<std::uint8_t>),
    row<PowerOfTwo>(DType::float8_e8m0fnu),
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(table); ++i)
    if (static_cast<std::size_t>(table[i].dtype) != i) return false;
  return std::size(table) == dtype_count;
}
static_assert(in_order(), "each dtype has its codec, in the order of DType");

const Row& codec(DType dtype) { return table[static_cast<std::size_t>(dtype)]; }

}  // namespace

void decode(DType dtype, const std::byte* data, std::size_t first, std::span<float> out) {
  codec(dtype).to_float(data, first, out);
}

void decode(DType dtype, const std::byte* data, std::size_t first, std::span<double> out) {
  codec(dtype).to_double(data, first, out);
}

void encode(DType dtype, std::span<const float> values, std::byte* data, std::size_t first) {
  codec(dtype).from_float(values, data, first);
}

void encode(DType dtype, std::span<const double> values, std::byte* data, std::size_t first) {
  codec(dtype).from_double(values, data, first);
}

std::vector<double> decoded(const TensorView& tensor) {
  std::vector<double> out(element_count(tensor.shape));
  decode(tensor.dtype, tensor.data, 0, std::span(out));
  return out;
}

Scalar element(DType dtype, const std::byte* data, std::size_t index) {
  return codec(dtype).item(data, index);
}

std::string element_text(const TensorView& tensor, std::size_t index) {
  return std::visit([](auto value) { return fmt::format("{}", value); },
                    element(tensor.dtype, tensor.data, index));
}

}  // namespace kbench
