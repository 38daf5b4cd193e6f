#include "registry/kernel_aliases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "registry/kernel_key.hpp"
#include "registry/scalar_type.hpp"

namespace kbench {
namespace {

using json::Kind;

template <class Value>
const NamedValues<Value>* find(const std::vector<NamedValues<Value>>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const NamedValues<Value>& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

// The numbers of the types, nothing where one of them is unknown.
std::optional<std::vector<int>> read_types(const json::Member& alias, const std::string& pointer,
                                           const YamlPlace& place) {
  if (alias.value.kind != Kind::array || alias.value.items.empty()) {
    const bool is_word = alias.value.is_string();
    place.out.error(place.at(alias.value, pointer),
                    fmt::format("the types of {} must be a list with at least one", alias.key),
                    is_word ? fmt::format("[{}]", alias.value.text) : "as in [Float, Double]");
    return std::nullopt;
  }
  std::vector<int> types;
  for (const json::Value& item : alias.value.items) {
    const ScalarTypeInfo* const type = item.is_string() ? find_scalar_type(item.text) : nullptr;
    if (type == nullptr) {
      place.out.error(place.at(item, pointer), fmt::format("unknown type {}", python_text(item)),
                      did_you_mean(item.text, scalar_type_names()));
    } else {
      types.push_back(type->code);
    }
  }
  if (types.size() != alias.value.items.size()) return std::nullopt;
  return types;
}

// One dim order [0, 1], or several [[0, 1], [1, 0]].
std::optional<std::vector<DimOrder>> read_dim_orders(const json::Member& alias,
                                                     const std::string& pointer,
                                                     const YamlPlace& place) {
  const auto& items = alias.value.items;
  const bool is_nested = !items.empty() && items.front().kind == Kind::array;
  std::vector<DimOrder> orders;
  if (!is_nested) {
    const auto order = read_dim_order(alias.value, pointer, place);
    if (!order) return std::nullopt;
    orders.push_back(*order);
    return orders;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto order = read_dim_order(items[i], fmt::format("{}/{}", pointer, i), place);
    if (order) orders.push_back(*order);
  }
  if (orders.size() != items.size()) return std::nullopt;
  return orders;
}

std::optional<int> read_dimension(const json::Value& value) {
  int number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [last, failure] = std::from_chars(value.text.data(), end, number);
  const bool is_text = value.kind == Kind::integer || value.is_string();
  if (!is_text || failure != std::errc() || last != end) return std::nullopt;
  return number;
}

// The members of a section, none where it is missing or no map, which is reported.
std::span<const json::Member> section_of(const json::Value& entry, std::string_view section,
                                         const std::string& pointer, const YamlPlace& place) {
  const json::Value* const aliases = entry.find(section);
  if (aliases == nullptr || aliases->kind == Kind::null) return {};
  if (!aliases->is_object())
    place.out.error(place.at(*aliases, pointer),
                    fmt::format("{} must be a map from names to lists", section));
  return aliases->members;
}

// Keeps what was read of an alias, or its name.
template <class Value>
void keep(const json::Member& alias, const std::optional<std::vector<Value>>& values,
          std::vector<NamedValues<Value>>& out, std::vector<std::string>& broken) {
  if (values) {
    out.push_back({std::string(alias.key), *values});
  } else {
    broken.emplace_back(alias.key);
  }
}

}  // namespace

const NamedValues<int>* KernelAliases::type(std::string_view name) const {
  return find(types, name);
}

const NamedValues<DimOrder>* KernelAliases::dim_order(std::string_view name) const {
  return find(dim_orders, name);
}

std::optional<DimOrder> read_dim_order(const json::Value& list, const std::string& pointer,
                                       const YamlPlace& place) {
  if (list.kind != Kind::array) {
    place.out.error(place.at(list, pointer), "a dim order must be a list of dimensions",
                    "as in [0, 1, 2, 3]");
    return std::nullopt;
  }
  DimOrder order;
  for (const json::Value& item : list.items) {
    const auto dimension = read_dimension(item);
    if (!dimension) {
      place.out.error(place.at(item, pointer),
                      fmt::format("{} is no dimension", python_text(item)));
      return std::nullopt;
    }
    order.push_back(*dimension);
  }
  if (const std::string why = dim_order_problem(order); !why.empty()) {
    place.out.error(place.at(list, pointer), why,
                    "the dimensions from the outermost in memory to the innermost");
    return std::nullopt;
  }
  return order;
}

ReadAliases read_aliases(const json::Value& entry, const std::string& pointer,
                         const YamlPlace& place) {
  ReadAliases read;
  const std::string types = pointer + "/type_alias";
  for (const json::Member& alias : section_of(entry, "type_alias", types, place))
    keep(alias, read_types(alias, fmt::format("{}/{}", types, alias.key), place),
         read.aliases.types, read.broken);
  const std::string orders = pointer + "/dim_order_alias";
  for (const json::Member& alias : section_of(entry, "dim_order_alias", orders, place))
    keep(alias, read_dim_orders(alias, fmt::format("{}/{}", orders, alias.key), place),
         read.aliases.dim_orders, read.broken);
  return read;
}

}  // namespace kbench
