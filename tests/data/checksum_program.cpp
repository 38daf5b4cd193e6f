// Prints checksums of random words, normals and softmax: tests/data/random_test.cpp builds it with
// several compiler options and compares.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "problem/data/random.hpp"

namespace {

// FNV-1a over the values' bits.
template <class Bits, class T>
std::uint64_t checksum(const std::vector<T>& values) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const T value : values) {
    hash = (hash ^ std::bit_cast<Bits>(value)) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace

int main() {
  constexpr std::size_t count = 1 << 20;
  std::vector<std::uint32_t> words(count);
  kbench::random_words({2026, 3, 1}, 0, words);
  std::vector<float> normals(count);
  kbench::standard_normals({2026, 3, 1}, 0, normals);
  std::vector<double> row(normals.begin(), normals.begin() + 100003);
  kbench::softmax(row);
  std::printf("words %016lx\n", checksum<std::uint32_t>(words));
  std::printf("normals %016lx\n", checksum<std::uint32_t>(normals));
  std::printf("softmax %016lx\n", checksum<std::uint64_t>(row));
}
