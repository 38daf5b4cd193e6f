#include "registry/meta_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "operators/piece.hpp"
#include "registry/arg_meta.hpp"
#include "registry/scalar_type.hpp"

namespace kbench {
namespace {

// "" where the dim order of a tensor is all that stands in brackets, and ends the text.
std::string bracket_problem(std::string_view text, std::size_t open, std::size_t close) {
  if (open == text.npos)
    return fmt::format("\"{}\" has no dim order behind the dtype, as in Float[0,1]", text);
  if (close == text.npos || text[close] != ']')
    return fmt::format("\"{}\" has no ] behind its dim order", text.substr(0, close));
  if (close + 1 != text.size())
    return fmt::format("\"{}\" stands behind a tensor, where a comma parts it from the next",
                       text.substr(close + 1));
  return "";
}

// "Float[0,1]", "Float[*]", "*[0,1]", "None"
std::optional<TensorMeta> parse_tensor(std::string_view text, std::string& why) {
  if (text == "None") return TensorMeta{{}, {}, true};
  const std::size_t open = text.find('[');
  const std::size_t close = text.find_first_of("[]=", open + 1);
  why = bracket_problem(text, open, close);
  if (!why.empty()) return std::nullopt;
  const std::string_view name = trim(text.substr(0, open));
  const ScalarTypeInfo* const type = find_scalar_type(name);
  if (name != "*" && type == nullptr) {
    why = fmt::format("unknown dtype \"{}\"", name);
    if (const std::string near = did_you_mean(name, scalar_type_names()); !near.empty())
      why += "; " + near;
    return std::nullopt;
  }
  const std::string_view dims = text.substr(open + 1, close - open - 1);
  // A key's own parser reads the dimensions.
  const std::string code = type == nullptr ? "*" : std::to_string(type->code);
  auto key = parse_key(fmt::format("v1/{};{}", code, dims), why);
  if (!key) return std::nullopt;
  TensorMeta meta = key->front();
  if (meta.dim_order) why = dim_order_problem(*meta.dim_order);
  return why.empty() ? std::optional(std::move(meta)) : std::nullopt;
}

std::optional<std::size_t> index_of(const std::vector<const ops::Argument*>& arguments,
                                    std::string_view name) {
  const auto found =
      std::find_if(arguments.begin(), arguments.end(),
                   [&](const ops::Argument* argument) { return argument->name == name; });
  if (found == arguments.end()) return std::nullopt;
  return static_cast<std::size_t>(found - arguments.begin());
}

std::string names_of(const std::vector<const ops::Argument*>& arguments) {
  std::vector<std::string> names;
  for (const ops::Argument* argument : arguments) names.push_back(argument->name);
  return join(names, ", ");
}

// Which of its parts no tensor has, "" for a good one.
std::string part_problem(const TensorMeta& meta) {
  if (meta.scalar_type && find_scalar_type(*meta.scalar_type) == nullptr)
    return fmt::format("{} is the number of no dtype", *meta.scalar_type);
  return meta.dim_order && !meta.dim_order->empty() ? dim_order_problem(*meta.dim_order) : "";
}

// A key of a model may name the outputs twice.
std::optional<KernelKey> parse_key_of(std::string_view text, const ops::Schema& schema,
                                      std::string& why) {
  auto key = parse_key(text, why);
  if (!key) return std::nullopt;
  for (const TensorMeta& meta : *key) {
    if (why.empty()) why = part_problem(meta);
  }
  const std::size_t tensors = tensor_arguments(schema).size();
  if (why.empty() && key->size() != tensors && key->size() != tensors + schema.out.size())
    why = fmt::format("{} has {} tensors, the key {}", ops::full_name(schema.name), tensors,
                      key->size());
  return why.empty() ? std::move(key) : std::nullopt;
}

}  // namespace

std::optional<KernelKey> parse_meta(std::string_view text, const ops::Schema& schema,
                                    std::string& why) {
  why.clear();
  if (text.starts_with("v1/")) return parse_key_of(text, schema, why);
  const auto arguments = tensor_arguments(schema);
  KernelKey key(arguments.size());
  std::vector<bool> given(arguments.size(), false);
  for (const ops::Piece& piece : ops::split_at_commas({text, 0})) {
    const std::string_view item = piece.text;
    const std::size_t equals = item.find('=');
    const std::string_view name = trim(item.substr(0, equals));
    const auto index = index_of(arguments, name);
    if (equals == std::string_view::npos || !index) {
      why = fmt::format("{} has no tensor \"{}\": its tensors are {}", ops::full_name(schema.name),
                        name, names_of(arguments));
      return std::nullopt;
    }
    if (given[*index]) {
      why = fmt::format("the tensor {} is given twice", name);
      return std::nullopt;
    }
    const auto meta = parse_tensor(trim(item.substr(equals + 1)), why);
    if (!meta) return std::nullopt;
    key[*index] = *meta;
    given[*index] = true;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!given[i] && !arguments[i]->type.is_optional()) {
      why = fmt::format("nothing is said of the tensor {}: it has {}", arguments[i]->name,
                        names_of(arguments));
      return std::nullopt;
    }
    if (!given[i]) key[i].is_none = true;
  }
  return key;
}

}  // namespace kbench
