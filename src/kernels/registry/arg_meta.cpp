#include "kernels/registry/arg_meta.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "kernels/operators/name_rules.hpp"

namespace kbench {
namespace {

using json::Kind;

constexpr std::size_t most_keys = 10'000;

// Meta of one argument: the name of an alias, or a value by itself.
struct ArgumentMeta {
  const NamedValues<int>* type_alias = nullptr;
  const NamedValues<DimOrder>* dim_alias = nullptr;
  TensorMeta fixed;
};

class ArgMetaReader {
 public:
  ArgMetaReader(const ops::Schema& schema, const ReadAliases& aliases, const YamlPlace& place)
      : arguments_(tensor_arguments(schema)), aliases_(aliases), place_(place) {}

  std::optional<std::vector<KernelKey>> read(const json::Value& arg_meta,
                                             const std::string& pointer) {
    if (!arg_meta.is_object() || arg_meta.members.empty()) {
      error(place_.at(arg_meta, pointer), "arg_meta must name the tensors that the kernel takes",
            "null for a kernel that takes any; " + hint());
      return std::nullopt;
    }
    metas_.assign(arguments_.size(), {});
    std::vector<bool> given(arguments_.size(), false);
    for (const json::Member& member : arg_meta.members)
      read_argument(member, fmt::format("{}/{}", pointer, member.key), given);
    check_complete(arg_meta, pointer, given);
    if (is_bad_) return std::nullopt;
    return expand(arg_meta, pointer);
  }

 private:
  void error(Where where, std::string message, std::string hint = "") {
    place_.out.error(std::move(where), std::move(message), std::move(hint));
    is_bad_ = true;
  }

  std::string hint() const {
    std::vector<std::string> names;
    for (const ops::Argument* argument : arguments_) names.push_back(argument->name);
    return "its tensors are " + join(names, ", ");
  }

  void read_argument(const json::Member& member, const std::string& pointer,
                     std::vector<bool>& given) {
    const auto found =
        std::find_if(arguments_.begin(), arguments_.end(),
                     [&](const ops::Argument* argument) { return argument->name == member.key; });
    if (found == arguments_.end())
      return error(place_.key(member, pointer),
                   fmt::format("the operator has no tensor \"{}\"", member.key), hint());
    const auto index = static_cast<std::size_t>(found - arguments_.begin());
    given[index] = true;
    const json::Value& value = member.value;
    if (value.kind != Kind::array || value.items.size() != 2)
      return error(place_.at(value, pointer),
                   fmt::format("{} must be given a type and a dim order", member.key),
                   fmt::format("as in {}: [T0, D0]", member.key));
    read_type(value.items[0], pointer + "/0", metas_[index]);
    read_dims(value.items[1], pointer + "/1", metas_[index]);
  }

  bool is_broken(std::string_view name) {
    const bool broken =
        std::find(aliases_.broken.begin(), aliases_.broken.end(), name) != aliases_.broken.end();
    is_bad_ |= broken;
    return broken;
  }

  void warn_of_inline(const json::Value& value, const std::string& pointer) {
    place_.out.warning(
        place_.at(value, pointer),
        fmt::format("{} is no alias: ExecuTorch's tools take aliases alone", python_text(value)));
  }

  void read_type(const json::Value& value, const std::string& pointer, ArgumentMeta& meta) {
    meta.type_alias = value.is_string() ? aliases_.aliases.type(value.text) : nullptr;
    if (meta.type_alias != nullptr || is_broken(value.text) || value.text == "*") return;
    const ScalarTypeInfo* const type = value.is_string() ? find_scalar_type(value.text) : nullptr;
    if (type == nullptr)
      return error(place_.at(value, pointer),
                   fmt::format("Undefined type alias: {}",
                               value.is_string() ? value.text : python_text(value)),
                   hint_for(value.text, aliases_.aliases.types, "type_alias"));
    meta.fixed.scalar_type = type->code;
    warn_of_inline(value, pointer);
  }

  void read_dims(const json::Value& value, const std::string& pointer, ArgumentMeta& meta) {
    meta.dim_alias = value.is_string() ? aliases_.aliases.dim_order(value.text) : nullptr;
    if (meta.dim_alias != nullptr || is_broken(value.text) || value.text == "*") return;
    if (value.kind != Kind::array)
      return error(place_.at(value, pointer),
                   fmt::format("Undefined dim_order alias: {}", value.text),
                   hint_for(value.text, aliases_.aliases.dim_orders, "dim_order_alias"));
    const auto order = read_dim_order(value, pointer, place_);
    is_bad_ |= !order;
    if (order) meta.fixed.dim_order = *order;
    if (order) warn_of_inline(value, pointer);
  }

  template <class Value>
  static std::string hint_for(std::string_view word, const std::vector<NamedValues<Value>>& all,
                              std::string_view section) {
    std::vector<std::string> names;
    for (const auto& one : all) names.push_back(one.name);
    if (names.empty()) return fmt::format("{} defines none", section);
    const std::string near = did_you_mean(word, names);
    return near.empty() ? fmt::format("{} has {}", section, join(names, ", ")) : near;
  }

  // Tensors that may be absent need not be named.
  void check_complete(const json::Value& arg_meta, const std::string& pointer,
                      const std::vector<bool>& given) {
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < arguments_.size(); ++i)
      if (!given[i] && !arguments_[i]->type.is_optional()) missing.push_back(arguments_[i]->name);
    if (!missing.empty())
      error(place_.at(arg_meta, pointer),
            fmt::format("arg_meta does not name the tensor {}", join(missing, ", ")), hint());
  }

  std::optional<std::vector<KernelKey>> expand(const json::Value& arg_meta,
                                               const std::string& pointer) {
    KernelKey first;
    for (const ArgumentMeta& meta : metas_) first.push_back(meta.fixed);
    std::vector<KernelKey> keys = {first};
    for (const auto& alias : aliases_.aliases.types)
      multiply(keys, alias, &ArgumentMeta::type_alias, &TensorMeta::scalar_type);
    for (const auto& alias : aliases_.aliases.dim_orders)
      multiply(keys, alias, &ArgumentMeta::dim_alias, &TensorMeta::dim_order);
    if (keys.size() <= most_keys) return keys;
    error(place_.at(arg_meta, pointer),
          fmt::format("this stands for more than {} keys", most_keys));
    return std::nullopt;
  }

  // Copies each key for every value of the alias, where an argument names that.
  template <class Value, class Part>
  void multiply(std::vector<KernelKey>& keys, const NamedValues<Value>& alias,
                const NamedValues<Value>* ArgumentMeta::*of, Part TensorMeta::*part) const {
    const bool is_used = std::any_of(metas_.begin(), metas_.end(),
                                     [&](const ArgumentMeta& meta) { return meta.*of == &alias; });
    if (!is_used || keys.size() > most_keys) return;
    std::vector<KernelKey> all;
    for (const KernelKey& key : keys) {
      for (const Value& value : alias.values) {
        KernelKey& one = all.emplace_back(key);
        for (std::size_t i = 0; i < metas_.size(); ++i)
          if (metas_[i].*of == &alias) one[i].*part = value;
      }
    }
    keys = std::move(all);
  }

  std::vector<const ops::Argument*> arguments_;
  const ReadAliases& aliases_;
  const YamlPlace& place_;
  std::vector<ArgumentMeta> metas_;
  bool is_bad_ = false;
};

}  // namespace

std::vector<const ops::Argument*> tensor_arguments(const ops::Schema& schema) {
  std::vector<const ops::Argument*> tensors;
  for (const ops::Argument* argument : ops::arguments_of(schema))
    if (argument->type.base == ops::BaseType::tensor) tensors.push_back(argument);
  return tensors;
}

std::optional<std::vector<KernelKey>> read_arg_meta(const json::Value& arg_meta,
                                                    const std::string& pointer,
                                                    const ops::Schema& schema,
                                                    const ReadAliases& aliases,
                                                    const YamlPlace& place) {
  return ArgMetaReader(schema, aliases, place).read(arg_meta, pointer);
}

namespace {

// Says why the text is no dim order in brackets at its end; "" where it is.
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

// Reads "Float[0,1]", "Float[*]", "*[0,1]", "None".
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
  // Dimensions are read by the parser of keys.
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

// Says which part no tensor has; "" for a good one.
std::string part_problem(const TensorMeta& meta) {
  if (meta.scalar_type && find_scalar_type(*meta.scalar_type) == nullptr)
    return fmt::format("{} is the number of no dtype", *meta.scalar_type);
  return meta.dim_order && !meta.dim_order->empty() ? dim_order_problem(*meta.dim_order) : "";
}

// Reads a key; one of a model may name the outputs twice.
std::optional<KernelKey> parse_key_of(std::string_view text, const ops::Schema& schema,
                                      std::string& why) {
  auto key = parse_key(text, why);
  if (!key) return std::nullopt;
  for (const TensorMeta& meta : *key)
    if (why.empty()) why = part_problem(meta);
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
