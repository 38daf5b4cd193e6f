// Common parts of the fuzz targets: bytes to make arguments of, and checks of every report.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/diagnostic.hpp"
#include "base/text.hpp"

#define FUZZ_CHECK(condition)                                             \
  do {                                                                    \
    if (!(condition)) kbench::fuzz::fail(__FILE__, __LINE__, #condition); \
  } while (false)

namespace kbench::fuzz {

[[noreturn]] inline void fail(const char* file, int line, const char* what) {
  std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
  std::abort();
}

// Bytes taken from the front; zeros when none are left.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size)
      : data_(reinterpret_cast<const char*>(data)), size_(size) {}

  std::uint8_t byte() { return take<std::uint8_t>(); }
  template <class Number>
  Number take() {
    Number out{};
    take(&out, sizeof out);
    return out;
  }
  void take(void* to, std::size_t bytes) {
    const std::size_t n = std::min(bytes, size_);
    if (n > 0) std::memcpy(to, data_, n);
    data_ += n;
    size_ -= n;
  }
  std::string rest() const { return {data_, size_}; }

 private:
  const char* data_;
  std::size_t size_;
};

// A report stands in the text, and can be shown.
inline void check_reports(const Diagnostics& problems, const Source& source) {
  const auto lines = 1 + std::count(source.text.begin(), source.text.end(), '\n');
  for (const Diagnostic& problem : problems.items()) {
    FUZZ_CHECK(problem.where.line >= 0 && problem.where.line <= lines);
    FUZZ_CHECK(problem.where.column >= 0);
    FUZZ_CHECK(problem.where.column <= static_cast<int>(source.text.size()) + 1);
    FUZZ_CHECK(!problem.message.empty());
    FUZZ_CHECK(!render(problem, true).empty());
  }
}

}  // namespace kbench::fuzz
