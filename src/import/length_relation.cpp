#include "import/length_relation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace kbench {
namespace {

std::int64_t result_of(std::int64_t a, char operation, std::int64_t constant) {
  return operation == '/' ? a / constant : operation == '*' ? a * constant : a + constant;
}

// The constant that makes `wanted` of `a`; 0 where there is none.
std::int64_t constant_for(std::int64_t a, char operation, std::int64_t wanted) {
  if (operation == '+') return wanted - a;
  const std::int64_t larger = operation == '/' ? a : wanted;
  const std::int64_t smaller = operation == '/' ? wanted : a;
  const std::int64_t constant = smaller == 0 ? 0 : larger / smaller;
  return constant < 2 ? 0 : constant;
}

std::optional<LengthRelation> by_constant(const NamedAxis& a, char operation,
                                          const CaseLengths& wanted) {
  const std::int64_t constant = constant_for(a.lengths[0], operation, wanted[0]);
  if (constant == 0) return std::nullopt;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (result_of(a.lengths[i], operation, constant) != wanted[i]) return std::nullopt;
  const std::string_view sign = operation == '/' ? "//" : operation == '*' ? "*" : "+";
  return LengthRelation{fmt::format("{} {} {}", a.name, sign, constant),
                        fmt::format("{} {} {}", a.in_python, sign, constant)};
}

std::optional<LengthRelation> by_difference(const NamedAxis& a, const NamedAxis& b,
                                            const CaseLengths& wanted) {
  const std::int64_t rest = wanted[0] - a.lengths[0] + b.lengths[0];
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] != a.lengths[i] - b.lengths[i] + rest) return std::nullopt;
  return LengthRelation{fmt::format("{} - {} + {}", a.name, b.name, rest),
                        fmt::format("{} - {} + {}", a.in_python, b.in_python, rest)};
}

}  // namespace

bool is_constant(const CaseLengths& lengths) {
  return std::all_of(lengths.begin(), lengths.end(),
                     [&](std::int64_t one) { return one == lengths.front(); });
}

std::optional<LengthRelation> relation_for(const std::vector<NamedAxis>& axes,
                                           const CaseLengths& wanted) {
  std::vector<NamedAxis> usable;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(usable), [](const NamedAxis& one) {
    return !one.in_python.empty() && !is_constant(one.lengths);
  });
  for (const NamedAxis& a : usable)
    if (a.lengths == wanted) return LengthRelation{a.name, a.in_python};
  for (const NamedAxis& a : usable)
    for (const char operation : {'/', '*', '+'})
      if (auto found = by_constant(a, operation, wanted)) return found;
  for (const NamedAxis& a : usable)
    for (const NamedAxis& b : usable)
      if (auto found = &a == &b ? std::nullopt : by_difference(a, b, wanted)) return found;
  return std::nullopt;
}

}  // namespace kbench
