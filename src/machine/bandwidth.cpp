#include "machine/bandwidth.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>

#include "base/simd.hpp"
#include "machine/best_rate.hpp"

namespace kbench {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t page = std::size_t{2} << 20;
constexpr std::size_t least_of_a_portion = std::size_t{1} << 18;  // bytes: 10 µs or more

using Vector = std::uint64_t __attribute__((vector_size(line)));

// Eight sums, since a sum waits for its last addition.
KBENCH_SIMD std::uint64_t read_all(const std::byte* data, std::size_t bytes) {
  constexpr std::size_t sums = 8;
  Vector sum[sums] = {};
  const auto* vectors = reinterpret_cast<const Vector*>(data);
  for (std::size_t i = 0; i + sums <= bytes / line; i += sums)
    for (std::size_t k = 0; k < sums; ++k) sum[k] += vectors[i + k];
  std::uint64_t total = 0;
  for (const Vector& one : sum)
    for (std::size_t k = 0; k < line / sizeof total; ++k) total += one[k];
  return total;
}

// In huge pages where the kernel has them, so that finding pages costs least.
std::shared_ptr<std::byte> allocate(std::size_t bytes) {
  const std::size_t rounded = (bytes + page - 1) / page * page;
  auto* data = static_cast<std::byte*>(std::aligned_alloc(page, rounded));
  if (data == nullptr) throw std::bad_alloc();
  ::madvise(data, rounded, MADV_HUGEPAGE);
  std::memset(data, 1, bytes);
  return {data, [](std::byte* p) { std::free(p); }};
}

template <class Pass>
Portion portion_of(std::size_t bytes, const Pass& pass) {
  const auto data = allocate(bytes);
  const std::size_t passes = std::max<std::size_t>(1, least_of_a_portion / bytes);
  return [=] {
    for (std::size_t i = 0; i < passes; ++i) {
      pass(data.get());
      asm volatile("" : : "r"(data.get()) : "memory");  // each pass is made
    }
    return static_cast<double>(passes * bytes);
  };
}

}  // namespace

double best_bandwidth(std::uint64_t bytes, int threads) {
  constexpr std::size_t unit = 8 * line;
  const auto count = static_cast<std::uint64_t>(std::max(threads, 1));
  const std::size_t each = std::max<std::size_t>(bytes / count / (2 * unit), 1) * 2 * unit;
  const auto read = [each](std::byte* data) {
    const std::uint64_t sum = read_all(data, each);
    asm volatile("" : : "r"(sum));
  };
  const auto write = [each](std::byte* data) { std::memset(data, 1, each); };
  const auto copy = [each](std::byte* data) { std::memcpy(data, data + each / 2, each / 2); };
  return std::max({best_rate(threads, [&] { return portion_of(each, read); }),
                   best_rate(threads, [&] { return portion_of(each, write); }),
                   best_rate(threads, [&] { return portion_of(each, copy); })});
}

}  // namespace kbench
