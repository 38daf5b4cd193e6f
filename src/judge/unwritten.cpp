#include "judge/unwritten.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <variant>

namespace kbench {
namespace {

// Whether what was not written is NaN.
bool has_nan(DType dtype) {
  const DTypeInfo& type = info(dtype);
  return type.kind == DTypeKind::floating && (type.bits > 8 || type.poison[0] != 0);
}

// A wrong element of a byte without a NaN is the pattern by chance once in 256 times.
bool may_be_chance(DType dtype, std::uint64_t count, std::uint64_t elements) {
  const bool is_legal = info(dtype).bits <= 8 && !has_nan(dtype) && dtype != DType::boolean;
  return is_legal && count < elements / 16 + 8;
}

// A function that returns its results, in the place of writing them, is told why that is nothing.
constexpr std::string_view to_be_written =
    "; it is passed to be written to (\"destination_passing_style\")";

// Whether what was not written may be seen of an output that passed.
bool shows_in_what_passed(DType dtype, const Standard* standard) {
  if (dtype == DType::boolean) return true;
  return has_nan(dtype) && standard != nullptr && !std::holds_alternative<Anything>(*standard);
}

// The two NaN of float8_e4m3fn are everybody's: it has no others. But who has written his own has
// one at an element where the pattern is the other: all of a few may be alike by chance.
bool may_be_own_nan(const TensorView& view, std::uint64_t count, bool passed) {
  constexpr std::uint64_t few = 32;
  constexpr std::byte magnitude{0x7F};
  if (std::byte{info(view.dtype).poison[0]} != magnitude) return false;
  const auto is_nan = [](std::byte b) { return (b & magnitude) == magnitude; };
  const auto all = std::count_if(view.data, view.data + view.bytes, is_nan);
  return (passed && count < few) || count != static_cast<std::uint64_t>(all);
}

}  // namespace

std::string unwritten_cause(const PoisonedOutputs& memory, bool passed,
                            std::span<const Standard> standards) {
  for (std::size_t i = 0; i < memory.views().size(); ++i) {
    const TensorView& view = memory.views()[i];
    const Standard* const standard = i < standards.size() ? &standards[i] : nullptr;
    if (passed && !shows_in_what_passed(view.dtype, standard)) continue;
    const std::uint64_t elements = element_count(view.shape);
    const Unwritten left = memory.unwritten(i);
    if (left.count == 0 || may_be_chance(view.dtype, left.count, elements)) continue;
    if (may_be_own_nan(view, left.count, passed)) continue;
    return fmt::format(
        "UNWRITTEN: {} of {} elements of output \"{}\" were not written; first at {}{}", left.count,
        elements, memory.name(i), place_text(left.first, view.shape),
        left.count == elements ? to_be_written : "");
  }
  return "";
}

}  // namespace kbench
