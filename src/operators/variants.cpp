#include "operators/variants.hpp"

#include <algorithm>

#include "operators/rules.hpp"

namespace kbench::ops {
namespace {

bool is_tensor_like(const Type& type) { return type.base == BaseType::tensor; }

// Does the argument say where a new tensor is made? Four in a row: dtype, layout, device,
// pin_memory.
bool is_option(const Argument& argument, std::string_view name, BaseType base) {
  return argument.name == name && argument.type.base == base && !argument.type.has_list();
}

std::size_t find_tensor_options(const std::vector<Argument>& arguments) {
  for (std::size_t i = 0; i + 4 <= arguments.size(); ++i) {
    if (is_option(arguments[i], "dtype", BaseType::scalar_type) &&
        is_option(arguments[i + 1], "layout", BaseType::layout) &&
        is_option(arguments[i + 2], "device", BaseType::device) &&
        is_option(arguments[i + 3], "pin_memory", BaseType::boolean)) {
      return i;
    }
  }
  return arguments.size();
}

// The arguments of a schema that writes nothing and whose outputs exist already.
void drop_annotations(Schema& schema) {
  auto& options = schema.keyword_only;
  const auto begin = static_cast<std::ptrdiff_t>(find_tensor_options(options));
  if (begin != static_cast<std::ptrdiff_t>(options.size()))
    options.erase(options.begin() + begin, options.begin() + begin + 4);
  for (Argument& argument : schema.positional) argument.alias.reset();
  for (Argument& argument : options) argument.alias.reset();
}

// "__iadd__" and "add_" without what says "in place".
std::string base_out_of_place(const OperatorName& name) {
  if (!name.is_in_place()) return name.base;
  if (name.base.ends_with("__")) return "__" + name.base.substr(3);
  return name.base.substr(0, name.base.size() - 1);
}

std::string out_overload(const std::string& overload) {
  return overload.empty() ? "out" : overload + "_out";
}

Argument output(const std::string& name, const Type& type, const std::string& letter) {
  return {.name = name, .type = type, .alias = Alias{letter, true, ""}};
}

// The letters that no argument uses.
std::vector<std::string> free_letters(const Schema& schema) {
  std::string used;
  for (const Argument* argument : arguments_of(schema)) {
    if (argument->alias) used += argument->alias->before;
  }
  std::vector<std::string> letters;
  for (char c = 'a'; c <= 'z'; ++c) {
    if (used.find(c) == std::string::npos) letters.emplace_back(1, c);
  }
  return letters;
}

// Every tensor that is returned becomes an output. Where all results are plain tensors they are
// returned as well. There must be a letter for each.
void add_outputs(Schema& schema) {
  const std::vector<Return> returns = std::move(schema.returns);
  const std::vector<std::string> letters = free_letters(schema);
  const bool all_plain = std::all_of(returns.begin(), returns.end(), [](const Return& one) {
    return one.type.is(BaseType::tensor);
  });
  schema.returns.clear();
  for (std::size_t i = 0; i < returns.size(); ++i) {
    if (!is_tensor_like(returns[i].type)) {
      schema.returns.push_back(returns[i]);
      continue;
    }
    const std::string name = returns.size() == 1 ? "out" : "out" + std::to_string(i);
    schema.out.push_back(output(name, returns[i].type, letters.at(i)));
    if (all_plain)
      schema.returns.push_back({.type = returns[i].type, .alias = schema.out.back().alias});
  }
}

void write_self_elsewhere(Schema& schema) {
  for (Argument& argument : schema.positional) {
    if (argument.name != "self") continue;
    schema.out.push_back(output("out", argument.type, argument.alias->before));
    argument.alias.reset();
  }
}

}  // namespace

std::optional<Schema> out_variant(const Schema& schema) {
  const SchemaKind kind = kind_of(schema);
  const bool returns_tensor =
      std::any_of(schema.returns.begin(), schema.returns.end(),
                  [](const Return& one) { return is_tensor_like(one.type); });
  const bool has_letters = free_letters(schema).size() >= schema.returns.size();
  if (kind == SchemaKind::out || (kind != SchemaKind::in_place && !returns_tensor) || !has_letters)
    return std::nullopt;
  Schema variant = schema;
  variant.name.base = base_out_of_place(schema.name);
  variant.name.overload = out_overload(schema.name.overload);
  if (kind == SchemaKind::in_place) {
    write_self_elsewhere(variant);
    return variant;
  }
  add_outputs(variant);
  if (kind == SchemaKind::functional) drop_annotations(variant);
  return variant;
}

Schema functional_variant(const Schema& schema) {
  Schema variant = schema;
  variant.name.base = base_out_of_place(schema.name);
  if (kind_of(schema) == SchemaKind::mutates) variant.name.base += "_functional";
  for (Return& one : variant.returns) one.alias.reset();
  const auto add_written = [&](const Argument& argument) {
    const bool is_returned =
        std::any_of(schema.returns.begin(), schema.returns.end(),
                    [&](const Return& one) { return one.alias == argument.alias; });
    if (argument.is_write() && !is_returned)
      variant.returns.push_back({.name = argument.name + "_out", .type = argument.type});
  };
  const auto is_self = [](const Argument& one) { return one.name == "self"; };
  const auto self = std::find_if(schema.positional.begin(), schema.positional.end(), is_self);
  if (self != schema.positional.end()) add_written(*self);
  for (const Argument& argument : schema.out) add_written(argument);
  for (const Argument& argument : schema.positional) {
    if (!is_self(argument)) add_written(argument);
  }
  variant.out.clear();
  drop_annotations(variant);
  return variant;
}

}  // namespace kbench::ops
