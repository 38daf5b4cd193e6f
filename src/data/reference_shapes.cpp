// Calls that make tensors and arrange their elements.
#include <algorithm>
#include <map>

#include "base/words.hpp"
#include "data/reference_reader.hpp"

namespace kbench {
namespace {

using Sizes = std::vector<Size>;
using MaybeSizes = std::optional<Sizes>;

// f(a, b) and f((a, b)).
std::vector<Value> listed(const ReferenceArguments& arguments, std::size_t from) {
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
  for (const Value& dimension : listed(arguments, 1))
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

// The elements' meaning alone.
Value of_terms(const Value& value) {
  Value out = value;
  out.shape.reset();
  out.number.clear();
  out.input.clear();
  out.origin.clear();
  out.items.clear();
  return out;
}

// Values that say nothing any more: of where things are, not of them.
constexpr std::string_view other_values[] = {
    "max",    "min",   "sum",  "any",     "all",  "mean",         "argmax",
    "argsort", "amax", "amin", "nonzero", "dim", "unique_consecutive", "size"};
constexpr std::string_view joins[] = {"cat", "concat", "stack", "hstack", "pad"};

}  // namespace

// Methods that only arrange, and what is not known: its values may be the same.
Value ReferenceReader::arranged(const std::string& name, const ReferenceArguments& arguments,
                                bool is_method) {
  const Value first = arguments.get(0, {"input", "x"});
  if (name == "numel") return number_value(product(first.shape.value_or(Sizes{""})));
  if (name == "size" && arguments.positional.size() > 1)
    return number_value(dimension_of(first, arguments.get(1, {"dim"})));
  if (name == "size" && first.shape) {
    Value out;
    for (const Size& size : *first.shape) out.items.push_back(number_value(size));
    return out;
  }
  if (name == "item") {
    Value out = of_terms(first);
    out.shape.emplace();
    return out;
  }
  if (is_one_of(name, other_values)) return {};
  if (is_one_of(name, joins)) {
    for (const Value& item : first.items) {
      if (!item.terms.empty()) return of_terms(item);
    }
    return name == "pad" ? of_terms(first) : Value{};
  }
  const auto found = arrangements().find(name);
  Value out = is_method || found != arrangements().end() ? of_terms(first) : Value{};
  if (found == arrangements().end()) return out;
  out.origin = first.origin;
  if (first.shape) out.shape = found->second(first, arguments);
  return out;
}

// x.reshape(-1, a, b): what stands for -1 follows from the others, or keeps the last axes.
Value ReferenceReader::reshaped(const ReferenceArguments& arguments) {
  const Value first = arguments.get(0, {"input"});
  Value out = of_terms(first);
  out.origin = first.origin;
  const std::vector<Value> wanted = listed(arguments, 1);
  if (wanted.empty()) return out;
  const Sizes sizes = first.shape.value_or(Sizes{""});
  const Size elements = product(sizes);
  Sizes shape;
  Sizes others;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool is_open = wanted[i].number == "0 - 1";
    if (is_open) open = i;
    shape.push_back(is_open ? "" : wanted[i].number);
    if (!is_open) others.push_back(wanted[i].number);
  }
  if (open) {
    shape[*open] = combined(elements, "//", product(others));
    const std::size_t rank = sizes.size();
    if (*open == 0 && first.shape && rank >= wanted.size()) {
      const auto last = sizes.end() - static_cast<std::ptrdiff_t>(wanted.size() - 1);
      const bool kept = shape[0].empty() || std::equal(last, sizes.end(), others.begin());
      if (kept) shape[0] = product({sizes.begin(), last});
    }
  } else {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i].input.empty() || wanted[i].number != wanted[i].input) continue;
      Sizes rest = shape;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      uses_.equal(wanted[i], combined(elements, "//", product(rest)));
    }
  }
  out.shape = shape;
  return out;
}

// zeros(a, b), x.new_zeros((a, b)), full((a, b), 1), arange(n)
Value ReferenceReader::made(const std::string& name, const ReferenceArguments& arguments,
                            bool is_method) {
  const std::size_t from = is_method ? 1 : 0;
  if (name == "arange") {
    const bool two = arguments.positional.size() > 1;
    const Value end = arguments.get(two ? 1 : 0, {"end"});
    Value out = end.terms.empty() ? Value{} : of_terms(end);
    out.is_below = !end.terms.empty();
    out.below = end.number;
    out.shape = std::vector<Size>{two ? combined(end.number, "-", arguments.positional[0].number) : end.number};
    return out;
  }
  Sizes shape;
  const bool filled = name == "full" || name == "new_full";
  const std::vector<Value> sizes = listed(arguments, from);
  for (std::size_t i = 0; i < (filled && arguments.get(from, {"size"}).items.empty() ? 1 : sizes.size()); ++i)
    shape.push_back(i < sizes.size() ? sizes[i].number : "");
  return shaped(shape);
}

}  // namespace kbench
