// Words that enumerations have in JSON. A new language is a row in names.cpp.
#pragma once

#include <span>
#include <string_view>

#include "schema/dtype.hpp"
#include "schema/gate_policy.hpp"
#include "schema/solution.hpp"
#include "schema/trace.hpp"
#include "schema/tuned_entry.hpp"

namespace kbench {

// Returns the names of an enumeration, row i for value i.
std::span<const std::string_view> names(const DType*);
std::span<const std::string_view> names(const Language*);
std::span<const std::string_view> names(const Binding*);
std::span<const std::string_view> names(const Status*);
std::span<const std::string_view> names(const ValueKind*);
std::span<const std::string_view> names(const Consequence*);
std::span<const std::string_view> names(const Decision*);

template <class Enum>
std::string_view name_of(Enum value) {
  return names(static_cast<const Enum*>(nullptr))[static_cast<std::size_t>(value)];
}

}  // namespace kbench
