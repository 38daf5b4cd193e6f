#include "evaluate/unwritten.hpp"

#include <fmt/format.h>

namespace kbench {
namespace {

// A wrong element of a byte without a NaN is the pattern by chance once in 256 times.
bool may_be_chance(DType dtype, std::uint64_t count, std::uint64_t elements) {
  const bool has_nan = dtype == DType::float8_e4m3fn || dtype == DType::float8_e5m2;
  const bool is_legal = info(dtype).bits <= 8 && !has_nan && dtype != DType::boolean;
  return is_legal && count < elements / 16 + 8;
}

}  // namespace

std::string unwritten_cause(const OutputMemory& memory, bool passed) {
  for (std::size_t i = 0; i < memory.views().size(); ++i) {
    const DType dtype = memory.views()[i].dtype;
    if (passed && dtype != DType::boolean) continue;
    const std::vector<std::int64_t>& shape = memory.views()[i].shape;
    const Unwritten left = memory.unwritten(i);
    if (left.count == 0 || may_be_chance(dtype, left.count, element_count(shape))) continue;
    return fmt::format(
        "UNWRITTEN: {} of {} elements of output \"{}\" were not written; first at {}", left.count,
        element_count(shape), memory.name(i), place_text(left.first, shape));
  }
  return "";
}

}  // namespace kbench
