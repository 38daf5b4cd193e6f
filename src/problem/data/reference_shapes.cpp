// Calls that make tensors and arrange their elements.
#include <algorithm>
#include <map>

#include "base/words.hpp"
#include "problem/data/reference_reader.hpp"

namespace kbench {
namespace {

using Sizes = std::vector<Size>;
using MaybeSizes = std::optional<Sizes>;

// Numbers of f(a, b) and f((a, b)).
std::vector<Value> numbers_of(const ReferenceArguments& arguments, std::size_t from) {
  const Value first = arguments.get(from, {"size", "shape"});
  if (!first.items.empty()) return first.items;
  if (arguments.positional.size() <= from)
    return first.number.empty() ? std::vector<Value>() : std::vector{first};
  return {arguments.positional.begin() + static_cast<std::ptrdiff_t>(from),
          arguments.positional.end()};
}

MaybeSizes flattened(const Value& value, const ReferenceArguments& arguments) {
  Sizes shape = *value.shape;
  const Value from = arguments.get(1, {"start_dim"});
  const Value to = arguments.get(2, {"end_dim"});
  const auto first = from.number.empty() ? std::optional<std::size_t>(0) : place_of(value, from);
  const auto last = to.number.empty() ? std::optional(shape.size() - 1) : place_of(value, to);
  if (!first || !last || shape.empty() || *last < *first) return std::nullopt;
  const auto begin = shape.begin() + static_cast<std::ptrdiff_t>(*first);
  const auto end = shape.begin() + static_cast<std::ptrdiff_t>(*last) + 1;
  const Size size = product({begin, end});
  shape.insert(shape.erase(begin, end), size);
  return shape;
}

MaybeSizes unsqueezed(const Value& value, const ReferenceArguments& arguments) {
  Value longer = value;
  longer.shape->emplace_back("1");
  const auto place = place_of(longer, arguments.get(1, {"dim"}));
  if (!place) return std::nullopt;
  Sizes shape = *value.shape;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*place), "1");
  return shape;
}

MaybeSizes squeezed(const Value& value, const ReferenceArguments& arguments) {
  const auto place = place_of(value, arguments.get(1, {"dim"}));
  if (!place) return value.shape->size() == 1 ? value.shape : std::nullopt;
  Sizes shape = *value.shape;
  if (shape[*place] == "1") shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*place));
  return shape;
}

MaybeSizes transposed(const Value& value, const ReferenceArguments& arguments) {
  const auto a = place_of(value, arguments.get(1, {"dim0"}));
  const auto b = place_of(value, arguments.get(2, {"dim1"}));
  if (!a || !b) return std::nullopt;
  Sizes shape = *value.shape;
  std::swap(shape[*a], shape[*b]);
  return shape;
}

MaybeSizes permuted(const Value& value, const ReferenceArguments& arguments) {
  Sizes shape;
  for (const Value& dimension : numbers_of(arguments, 1))
    shape.push_back(dimension_of(value, dimension));
  return shape.size() == value.shape->size() ? MaybeSizes(shape) : std::nullopt;
}

MaybeSizes as_is(const Value& value, const ReferenceArguments&) { return value.shape; }

using Arrange = MaybeSizes (*)(const Value&, const ReferenceArguments&);
const std::map<std::string_view, Arrange>& arrangements() {
  static const std::map<std::string_view, Arrange> table = {
      {"flatten", flattened},    {"unsqueeze", unsqueezed}, {"squeeze", squeezed},
      {"transpose", transposed}, {"swapaxes", transposed},  {"permute", permuted},
      {"roll", as_is},           {"flip", as_is},           {"sort", as_is},
  };
  return table;
}

// Calls whose results say nothing any more of their input's elements.
constexpr std::string_view other_values[] = {"max",
                                             "min",
                                             "sum",
                                             "any",
                                             "all",
                                             "mean",
                                             "argmax",
                                             "argsort",
                                             "amax",
                                             "amin",
                                             "nonzero",
                                             "dim",
                                             "unique_consecutive",
                                             "size"};

Size product_without(Sizes sizes, std::size_t place) {
  sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(place));
  return product(sizes);
}

// Returns the size that the -1 of reshape(-1, a, b) stands for: the first axes, where the last ones
// are kept or nothing else is known; else `counted`.
Size leading(const Sizes& before, const Sizes& after, const Size& counted) {
  if (before.size() < after.size()) return counted;
  const auto last = before.end() - static_cast<std::ptrdiff_t>(after.size() - 1);
  const bool kept = counted.empty() || std::equal(last, before.end(), after.begin() + 1);
  return kept ? product({before.begin(), last}) : counted;
}

}  // namespace

// x.size(), x.size(dim)
Value ReferenceReader::size_of(const ReferenceArguments& arguments) {
  const Value first = arguments.get(0, {"input"});
  const Value dimension = arguments.get(1, {"dim"});
  if (!dimension.number.empty()) return number_value(dimension_of(first, dimension));
  Value out;
  for (const Size& size : first.shape.value_or(Sizes())) out.items.push_back(number_value(size));
  return out;
}

Value ReferenceReader::element_count_of(const ReferenceArguments& arguments) {
  return number_value(product(arguments.get(0, {"input"}).shape.value_or(Sizes{""})));
}

Value ReferenceReader::item_of(const ReferenceArguments& arguments) {
  Value out = elements_alone(arguments.get(0, {}));
  out.shape.emplace();
  return out;
}

// Returns the elements of a joined tensor: those of its first part that has a meaning.
Value ReferenceReader::joined(const ReferenceArguments& arguments) {
  const Value first = arguments.get(0, {"tensors", "input"});
  for (const Value& item : first.items)
    if (!item.terms.empty()) return elements_alone(item);
  return elements_alone(first);
}

// Reads methods that only arrange, and unknown ones, whose values may be the same.
Value ReferenceReader::arranged(const std::string& name, const ReferenceArguments& arguments,
                                bool is_method) {
  if (is_one_of(name, other_values)) return {};
  const Value first = arguments.get(0, {"input", "x"});
  const auto found = arrangements().find(name);
  if (found == arrangements().end()) return is_method ? elements_alone(first) : Value{};
  Value out = elements_alone(first);
  out.origin = first.origin;
  if (first.shape) out.shape = found->second(first, arguments);
  return out;
}

// x.reshape(-1, a, b): what stands for -1 follows from the others, or keeps the last axes.
Value ReferenceReader::reshaped(const ReferenceArguments& arguments) {
  const Value first = arguments.get(0, {"input"});
  Value out = elements_alone(first);
  out.origin = first.origin;
  const std::vector<Value> wanted = numbers_of(arguments, 1);
  const bool is_type = wanted.size() == 1 && wanted[0].number.empty();  // view(torch.int8)
  if (wanted.empty() || is_type) return out;
  Sizes shape;
  for (const Value& size : wanted) shape.push_back(size.number);
  const Size elements = product(first.shape.value_or(Sizes{""}));
  const auto open = std::find(shape.begin(), shape.end(), "0 - 1");
  const bool is_open = open != shape.end();
  for (std::size_t i = 0; !is_open && i < wanted.size(); ++i)
    uses_.equal(wanted[i], combined(elements, "//", product_without(shape, i)));
  if (is_open) {
    const auto place = static_cast<std::size_t>(open - shape.begin());
    *open = combined(elements, "//", product_without(shape, place));
    if (place == 0 && first.shape) *open = leading(*first.shape, shape, *open);
  }
  out.shape = shape;
  return out;
}

// zeros(a, b), x.new_zeros((a, b)), full((a, b), 1)
Value ReferenceReader::made(const std::string& name, const ReferenceArguments& arguments,
                            bool is_method) {
  const std::size_t from = is_method ? 1 : 0;
  std::vector<Value> sizes = numbers_of(arguments, from);
  const bool filled = is_one_of(name, {"full", "new_full"});
  if (filled && arguments.get(from, {"size"}).items.empty()) return {};
  Sizes shape;
  for (const Value& size : sizes) shape.push_back(size.number);
  return shaped(shape);
}

}  // namespace kbench
