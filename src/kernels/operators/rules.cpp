#include "kernels/operators/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/operators/name_rules.hpp"

namespace kbench::ops {
namespace {

using Flaws = std::vector<Flaw>;

const Argument* find_self(const Schema& schema) {
  const auto found = std::find_if(schema.positional.begin(), schema.positional.end(),
                                  [](const Argument& one) { return one.name == "self"; });
  return found == schema.positional.end() ? nullptr : &*found;
}

// Returns where the first result stands; without results, where the schema begins.
std::size_t place_of_returns(const Schema& schema) {
  return schema.returns.empty() ? 0 : schema.returns.front().begin;
}

bool is_scratch(const Argument& argument) { return argument.name.starts_with("_scratch_"); }

std::string annotation(const std::optional<Alias>& alias) {
  if (!alias) return "None";
  return alias->before + (alias->is_write ? "!" : "");
}

void check_names(const Schema& schema, Flaws& flaws) {
  std::set<std::string_view> seen;
  for (const Argument* argument : arguments_of(schema)) {
    if (!seen.insert(argument->name).second)
      error(flaws, argument->begin, fmt::format("two arguments are called '{}'", argument->name));
  }
}

void check_positions(const Schema& schema, Flaws& flaws) {
  const Argument* const self = find_self(schema);
  for (const Argument& argument : schema.positional) {
    if (!argument.is_write() || &argument == self) continue;
    if (self != nullptr && &argument < self)
      error(flaws, argument.begin,
            "mutable pre_self_positional arguments are not currently supported in the schema",
            "arguments with (a!) come behind self");
    const bool is_returned =
        std::any_of(schema.returns.begin(), schema.returns.end(),
                    [&](const Return& one) { return one.alias == argument.alias; });
    if (is_returned)
      error(flaws, argument.begin,
            "If you have a schema with mutable positional args, we expect them to not be returned.",
            fmt::format("write \"*, \" before {}", text(argument)));
  }
}

// Results of an `out` operator are its `out` arguments, in their order.
void check_pairs(const Schema& schema, Flaws& flaws) {
  const std::size_t pairs = std::min(schema.out.size(), schema.returns.size());
  for (std::size_t i = 0; i < pairs; ++i) {
    const Argument& argument = schema.out[i];
    const Return& value = schema.returns[i];
    if (argument.alias == value.alias) continue;
    error(flaws, value.begin,
          fmt::format("Out arguments must have matching return Tensor; furthermore, the "
                      "ith-argument needs to correspond to the ith return. arg.annotation={}, "
                      "ret.annotation={}",
                      annotation(argument.alias), annotation(value.alias)),
          fmt::format("the result is Tensor({}), that of {}", annotation(argument.alias),
                      argument.name));
  }
}

void check_mutable_returns(const Schema& schema, Flaws& flaws) {
  const auto writes = [](const Return& one) { return one.is_write(); };
  const auto& returns = schema.returns;
  const auto written = std::count_if(returns.begin(), returns.end(), writes);
  if (written != 0 && written != static_cast<std::ptrdiff_t>(returns.size()))
    error(flaws, place_of_returns(schema),
          "NativeFunctions must have either only mutable returns, or only immutable returns.");
  const Argument* const self = find_self(schema);
  for (const Return& value : returns) {
    if (!value.is_write()) continue;
    const bool is_out = std::any_of(schema.out.begin(), schema.out.end(),
                                    [&](const Argument& one) { return one.alias == value.alias; });
    if (!is_out && !(self != nullptr && self->alias == value.alias))
      error(flaws, value.begin,
            "All mutable returns must be aliased either to a keyword argument, or to \"self\". Did "
            "you forget to mark an out argument as keyword-only?");
  }
}

void check_out(const Schema& schema, Flaws& flaws) {
  if (schema.out.empty()) return;
  const bool all_tensors = std::all_of(schema.out.begin(), schema.out.end(), [](const Argument& a) {
    return a.type.is(BaseType::tensor);
  });
  if (!all_tensors) {
    if (!schema.returns.empty())
      error(flaws, place_of_returns(schema),
            "out= ops that accept tensor lists as out arguments are expected to have no return "
            "type (since you can't do method chaining on them)",
            "\" -> ()\"");
    return;
  }
  const auto scratch = std::count_if(schema.out.begin(), schema.out.end(), is_scratch);
  const std::size_t results = schema.out.size() - static_cast<std::size_t>(scratch);
  // "()" is C++'s void: ExecuTorch's documentation has it, though torchgen refuses it.
  if (results != schema.returns.size() && !schema.returns.empty())
    error(flaws, place_of_returns(schema),
          fmt::format("Must return as many arguments as there are out arguments, or no return at "
                      "all. Got {} non-scratch out args and {} returns",
                      results, schema.returns.size()),
          "each out argument is returned, in the same order");
}

void check_in_place(const Schema& schema, Flaws& flaws) {
  if (!schema.name.is_in_place()) return;
  const std::string name = text_without_namespace(schema.name);
  const Argument* const self = find_self(schema);
  if (!schema.out.empty())
    error(flaws, schema.out.front().begin, "A schema cannot be both out= and inplace",
          "a name that ends in _ is that of an operator in place");
  if (self == nullptr || !self->is_write())
    return error(
        flaws, 0,
        fmt::format("Inplace op {} must have a self argument with a mutable annotation", name),
        "\"Tensor(a!) self\"; only operators in place have a name that ends in _");
  if (self->type.is(BaseType::tensor)) {
    if (schema.returns.size() != 1 || schema.returns[0].alias != self->alias)
      error(flaws, place_of_returns(schema),
            fmt::format("Inplace op {} with Tensor self must return self", name));
  } else if (!schema.returns.empty()) {
    error(flaws, place_of_returns(schema),
          fmt::format("Inplace op {} with non-Tensor self must have no returns", name));
  }
}

void check_overload(const Schema& schema, Flaws& flaws) {
  const bool says_functional = schema.name.overload.find("functional") != std::string::npos;
  if (says_functional && kind_of(schema) != SchemaKind::functional)
    error(flaws, 0,
          "Found an operator that is not functional, but its overload contains the string "
          "'functional'. This is a special keyword in the codegen, please use a different overload "
          "name.");
}

// Arguments that are written have memory of their own each, so they have letters of their own.
void check_letters(const Schema& schema, Flaws& flaws) {
  std::set<std::string_view> written;
  for (const Argument* argument : arguments_of(schema)) {
    if (!argument->is_write() || written.insert(argument->alias->before).second) continue;
    error(flaws, argument->begin,
          fmt::format("'{}' is written under the same letter as an argument before it",
                      argument->name),
          fmt::format("another letter than ({}!)", argument->alias->before));
  }
}

void check_forgotten_alias(const Schema& schema, Flaws& flaws) {
  for (const Argument& argument : schema.keyword_only) {
    const bool is_out = argument.name.starts_with("out") && argument.type.is(BaseType::tensor);
    if (is_out && !argument.alias)
      flaws.push_back({Level::warning, argument.begin,
                       fmt::format("'{}' is not written: the operator is taken for one that "
                                   "returns a new tensor",
                                   argument.name),
                       fmt::format("\"Tensor(a!) {}\" for an output", argument.name)});
  }
}

void check_argument_type(const Argument& argument, Flaws& flaws) {
  const Type& type = argument.type;
  if (info(type.base).cpp.empty())
    return error(
        flaws, argument.begin, fmt::format("no kernel can be given the type {}", text(type)),
        "Tensor, int, float, bool, str, Scalar, ScalarType, MemoryFormat, Device and SymInt "
        "can be given, with ? and []");
  const auto& modifiers = type.modifiers;
  const bool sizeless_bools = type.base == BaseType::boolean && !modifiers.empty() &&
                              modifiers[0].kind == Modifier::Kind::list && !modifiers[0].size;
  if (sizeless_bools) error(flaws, argument.begin, "bool ListType must have a size", "\"bool[2]\"");
}

bool is_number(const Type& type) {
  return type.is(BaseType::boolean) || type.is(BaseType::integer) || type.is(BaseType::sym_int) ||
         type.is(BaseType::floating) || type.is(BaseType::scalar);
}

void check_return_type(const Return& value, bool is_custom, Flaws& flaws) {
  const Type& type = value.type;
  if (type.is(BaseType::tensor)) return;
  if (type.is_optional() || info(type.base).cpp.empty())
    return error(flaws, value.begin, fmt::format("unrecognized return type {}", text(type)),
                 "kernels return Tensor, several Tensors or ()");
  if (is_custom || !is_number(type))
    error(flaws, value.begin, fmt::format("Can't handle this return type {}", text(type)),
          "kernels return Tensor, several Tensors or ()");
}

}  // namespace

SchemaKind kind_of(const Schema& schema) {
  if (schema.name.is_in_place()) return SchemaKind::in_place;
  if (!schema.out.empty()) return SchemaKind::out;
  const Argument* const self = find_self(schema);
  const bool mutates = std::any_of(
      schema.positional.begin(), schema.positional.end(),
      [&](const Argument& argument) { return &argument != self && argument.is_write(); });
  return mutates ? SchemaKind::mutates : SchemaKind::functional;
}

Flaws check_schema(const Schema& schema) {
  Flaws flaws;
  for (const auto rule :
       {&check_names, &check_positions, &check_pairs, &check_mutable_returns, &check_out,
        &check_in_place, &check_overload, &check_letters, &check_forgotten_alias}) {
    rule(schema, flaws);
  }
  return flaws;
}

Flaws check_for_kernel(const Schema& schema, bool is_custom) {
  Flaws flaws;
  for (const Argument* argument : arguments_of(schema)) {
    check_argument_type(*argument, flaws);
    if (is_custom && is_python_keyword(argument->name))
      error(flaws, argument->begin,
            fmt::format("Argument name '{}' in function '{}' is a reserved Python keyword.",
                        argument->name, text_without_namespace(schema.name)));
  }
  for (const Return& value : schema.returns) check_return_type(value, is_custom, flaws);
  if (schema.returns.empty() && schema.out.empty() && kind_of(schema) == SchemaKind::functional)
    error(flaws, 0,
          fmt::format("Can't handle native function {} with no returns and no out yet.",
                      text_without_namespace(schema.name)),
          "a result is written to a keyword-only argument, as in \"*, Tensor(a!) out\"");
  return flaws;
}

}  // namespace kbench::ops
