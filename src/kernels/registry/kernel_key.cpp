#include "kernels/registry/kernel_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace kbench {
namespace {

constexpr ScalarTypeInfo scalar_type_rows[] = {
    {0, "Byte"},
    {1, "Char"},
    {2, "Short"},
    {3, "Int"},
    {4, "Long"},
    {5, "Half"},
    {6, "Float"},
    {7, "Double"},
    {8, "ComplexHalf"},
    {9, "ComplexFloat"},
    {10, "ComplexDouble"},
    {11, "Bool"},
    {12, "QInt8", false},
    {13, "QUInt8", false},
    {14, "QInt32", false},
    {15, "BFloat16"},
    {16, "QUInt4x2", false},
    {17, "QUInt2x4", false},
    {18, "Bits1x8", false},
    {19, "Bits2x4", false},
    {20, "Bits4x2", false},
    {21, "Bits8", false},
    {22, "Bits16", false},
    {23, "Float8_e5m2"},
    {24, "Float8_e4m3fn"},
    {25, "Float8_e5m2fnuz"},
    {26, "Float8_e4m3fnuz"},
    {27, "UInt16"},
    {28, "UInt32"},
    {29, "UInt64"},
};

template <class Predicate>
const ScalarTypeInfo* find_if(Predicate is_it) {
  const auto found = std::find_if(std::begin(scalar_type_rows), std::end(scalar_type_rows), is_it);
  return found == std::end(scalar_type_rows) ? nullptr : &*found;
}

}  // namespace

std::optional<DType> ScalarTypeInfo::dtype() const {
  for (const DTypeInfo& one : dtypes())
    if (one.scalar_type == code) return one.dtype;
  return std::nullopt;
}

std::span<const ScalarTypeInfo> scalar_types() { return scalar_type_rows; }

const ScalarTypeInfo* find_scalar_type(std::string_view name) {
  if (const auto dtype = find_dtype(name)) return find_scalar_type(*dtype);
  return find_if([&](const ScalarTypeInfo& row) { return row.name == name; });
}

const ScalarTypeInfo* find_scalar_type(int code) {
  return find_if([&](const ScalarTypeInfo& row) { return row.code == code; });
}

const ScalarTypeInfo* find_scalar_type(DType dtype) {
  return find_scalar_type(info(dtype).scalar_type);
}

std::vector<std::string> scalar_type_names() {
  std::vector<std::string> names;
  for (const ScalarTypeInfo& row : scalar_type_rows) names.emplace_back(row.name);
  return names;
}

namespace {

constexpr int largest_number = 99;  // two digits: the buffers of a runtime have a fixed size
constexpr std::string_view version = "v1/";

std::string dims_text(const std::vector<int>& dim_order) {
  return fmt::format("{}", fmt::join(dim_order, ","));
}

std::string part_text(const TensorMeta& meta) {
  if (meta.is_none) return "-";
  if (!meta.scalar_type && !meta.dim_order) return "*";
  return (meta.scalar_type ? std::to_string(*meta.scalar_type) : "*") + ";" +
         (meta.dim_order ? dims_text(*meta.dim_order) : "*");
}

std::optional<int> parse_number(std::string_view text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc() || last != end || number < 0 || number > largest_number)
    return std::nullopt;
  return number;
}

bool parse_dims(std::string_view text, TensorMeta& meta, std::string& why) {
  if (text == "*") return true;
  std::vector<int> dims;
  for (const std::string_view word :
       text.empty() ? std::vector<std::string_view>{} : split(text, ',')) {
    const auto number = parse_number(word);
    if (!number) {
      why = fmt::format("\"{}\" is no dimension", word);
      return false;
    }
    dims.push_back(*number);
  }
  meta.dim_order = std::move(dims);
  return true;
}

bool parse_part(std::string_view text, TensorMeta& meta, std::string& why) {
  meta.is_none = text == "-";
  if (text == "-" || text == "*" || text == "?") return true;
  const std::size_t semicolon = text.find(';');
  if (semicolon == std::string_view::npos) {
    why = fmt::format("\"{}\" has no \";\" between element type and dim order", text);
    return false;
  }
  const std::string_view type = text.substr(0, semicolon);
  if (type != "*") meta.scalar_type = parse_number(type);
  if (type != "*" && !meta.scalar_type) {
    why = fmt::format("\"{}\" is no number of an element type", type);
    return false;
  }
  return parse_dims(text.substr(semicolon + 1), meta, why);
}

}  // namespace

std::string key_text(const KernelKey& key) {
  std::vector<std::string> parts;
  for (const TensorMeta& meta : key) parts.push_back(part_text(meta));
  return parts.empty() ? "" : std::string(version) + join(parts, "|");
}

std::optional<KernelKey> parse_key(std::string_view text, std::string& why) {
  KernelKey key;
  if (text.empty()) return key;
  if (!text.starts_with(version)) {
    why = "a key begins with \"v1/\"";
    return std::nullopt;
  }
  for (const std::string_view part : split(text.substr(version.size()), '|'))
    if (!parse_part(part, key.emplace_back(), why)) return std::nullopt;
  return key;
}

std::string human_text(const TensorMeta& meta) {
  if (meta.is_none) return "None";
  const ScalarTypeInfo* const type =
      meta.scalar_type ? find_scalar_type(*meta.scalar_type) : nullptr;
  const std::string name = type != nullptr    ? std::string(type->name)
                           : meta.scalar_type ? std::to_string(*meta.scalar_type)
                                              : "*";
  return name + "[" + (meta.dim_order ? dims_text(*meta.dim_order) : "*") + "]";
}

std::string human_text(const KernelKey& key) {
  std::vector<std::string> parts;
  for (const TensorMeta& meta : key) parts.push_back(human_text(meta));
  return join(parts, ", ");
}

bool matches(const TensorMeta& wanted, const TensorMeta& has) {
  if (wanted.is_none != has.is_none)
    return !wanted.scalar_type && !wanted.dim_order && !wanted.is_none;
  const bool type = !wanted.scalar_type || wanted.scalar_type == has.scalar_type;
  return type && (!wanted.dim_order || wanted.dim_order == has.dim_order);
}

namespace {

bool may_match(const TensorMeta& one, const TensorMeta& other) {
  if (one.is_none || other.is_none)
    return !one.scalar_type && !one.dim_order && !other.scalar_type && !other.dim_order;
  const bool type = !one.scalar_type || !other.scalar_type || one.scalar_type == other.scalar_type;
  return type && (!one.dim_order || !other.dim_order || one.dim_order == other.dim_order);
}

using Match = bool (*)(const TensorMeta&, const TensorMeta&);

bool match_all(const KernelKey& wanted, const KernelKey& has, std::size_t outputs, Match match) {
  const bool names_outputs_twice =
      outputs > 0 && wanted.size() >= outputs && has.size() == wanted.size() + outputs &&
      std::equal(has.end() - static_cast<std::ptrdiff_t>(outputs), has.end(),
                 has.end() - static_cast<std::ptrdiff_t>(2 * outputs));
  if (has.size() != wanted.size() && !names_outputs_twice) return false;
  return std::equal(wanted.begin(), wanted.end(), has.begin(), match);
}

}  // namespace

bool matches(const KernelKey& wanted, const KernelKey& has, std::size_t outputs) {
  return match_all(wanted, has, outputs, &matches);
}

bool may_match(const KernelKey& one, const KernelKey& has, std::size_t outputs) {
  return match_all(one, has, outputs, &may_match);
}

std::string dim_order_problem(const std::vector<int>& dim_order) {
  std::vector<bool> seen(dim_order.size(), false);
  for (const int dim : dim_order) {
    const bool is_in = dim >= 0 && static_cast<std::size_t>(dim) < dim_order.size();
    if (!is_in || seen[static_cast<std::size_t>(dim)])
      return fmt::format("[{}] is not a permutation of 0 to {}", dims_text(dim_order),
                         dim_order.size() - 1);
    seen[static_cast<std::size_t>(dim)] = true;
  }
  return "";
}

}  // namespace kbench
