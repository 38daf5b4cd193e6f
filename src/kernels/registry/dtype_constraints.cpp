#include "kernels/registry/dtype_constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "base/words.hpp"
#include "kernels/registry/arg_meta.hpp"
#include "kernels/registry/kernel_entry.hpp"
#include "schema/place.hpp"
#include "schema/yaml.hpp"

namespace kbench {
namespace {

using json::Kind;

constexpr std::string_view entry_keys[] = {"func", "namespace", "inherits", "type_alias",
                                           "type_constraint"};

std::uint64_t bits_of(const std::vector<int>& types) {
  std::uint64_t bits = 0;
  for (const int type : types) bits |= std::uint64_t{1} << type;
  return bits;
}

// Names that an alternative must have, and names that it may have.
struct KnownNames {
  std::vector<std::string> tensors, all;
};

KnownNames names_of(const ops::Schema& schema) {
  KnownNames names;
  for (const ops::Argument* argument : tensor_arguments(schema))
    names.tensors.push_back(argument->name);
  for (const ops::Argument* argument : ops::arguments_of(schema))
    names.all.push_back(argument->name);
  for (std::size_t i = 0; i < schema.returns.size(); ++i)
    names.all.push_back(result_name(schema, i));
  return names;
}

std::string meant(std::string_view name, const std::vector<std::string>& known) {
  const std::string near = did_you_mean(name, known);
  return near.empty() ? "it has " + join(known, ", ") : near;
}

class ConstraintReader {
 public:
  ConstraintReader(const YamlPlace& place, const ops::Catalogue* catalogue)
      : place_(place), catalogue_(catalogue) {}

  std::vector<DtypeConstraints> read(const json::Value& root) {
    if (root.kind != Kind::array) {
      place_.out.error(place_.at(root), "dtype constraints are a list of operators",
                       "each entry begins with \"- func: \"");
      return {};
    }
    for (std::size_t i = 0; i < root.items.size(); ++i) {
      const std::size_t before = place_.out.errors();
      DtypeConstraints entry = read_entry(root.items[i], fmt::format("/{}", i));
      if (place_.out.errors() == before) all_.push_back(std::move(entry));
    }
    return std::move(all_);
  }

 private:
  void error(const json::Value& value, const std::string& pointer, std::string message,
             std::string hint = "") {
    place_.out.error(place_.at(value, pointer), std::move(message), std::move(hint));
  }

  DtypeConstraints read_entry(const json::Value& entry, const std::string& pointer) {
    DtypeConstraints read;
    read.where = place_.at(entry, pointer);
    if (!entry.is_object()) {
      error(entry, pointer, "an entry must be a map with func, type_alias and type_constraint");
      return read;
    }
    check_keys(entry, pointer);
    const json::Value* const func = entry.find("func");
    if (func == nullptr || !func->is_string()) {
      error(func == nullptr ? entry : *func, pointer, "func must name an operator",
            "as in aten::add.Tensor");
      return read;
    }
    read.op = ops::full_name(std::string(func->text));
    check_new(read, *func, pointer + "/func");
    const ReadAliases aliases = read_aliases(entry, pointer, place_);
    for (const auto& alias : aliases.aliases.types) read.types.push_back(bits_of(alias.values));
    read_alternatives(entry, pointer, aliases, names_known(*func, pointer + "/func"), read);
    return read;
  }

  void check_keys(const json::Value& entry, const std::string& pointer) {
    const std::vector<std::string> known(std::begin(entry_keys), std::end(entry_keys));
    for (const json::Member& member : entry.members) {
      if (!is_one_of(member.key, entry_keys))
        place_.out.error(place_.key(member, fmt::format("{}/{}", pointer, member.key)),
                         fmt::format("unknown key \"{}\"", member.key),
                         did_you_mean(member.key, known));
    }
  }

  void check_new(const DtypeConstraints& entry, const json::Value& func,
                 const std::string& pointer) {
    const auto [first, inserted] = places_.try_emplace(entry.op, entry.where);
    if (!inserted)
      error(func, pointer, fmt::format("{} has constraints already", entry.op),
            fmt::format("the other entry: {}", short_place(first->second)));
  }

  // Returns nullopt where the operator is not PyTorch's, or its schemas are not there.
  std::optional<KnownNames> names_known(const json::Value& func, const std::string& pointer) {
    const ops::OperatorName name = ops::operator_name(func.text);
    if (catalogue_ == nullptr || !is_one_of(name.name_space, {"", "aten"})) return std::nullopt;
    const auto known = catalogue_->find(func.text);
    if (known) return names_of(known->schema);
    place_.out.warning(place_.at(func, pointer), fmt::format("unknown operator {}", func.text),
                       did_you_mean(ops::text_without_namespace(name), catalogue_->names()));
    return std::nullopt;
  }

  void read_alternatives(const json::Value& entry, const std::string& pointer,
                         const ReadAliases& aliases, const std::optional<KnownNames>& known,
                         DtypeConstraints& read) {
    const json::Value* const list = entry.find("type_constraint");
    const std::string inside = pointer + "/type_constraint";
    if (list == nullptr || list->kind != Kind::array || list->items.empty())
      return error(list == nullptr ? entry : *list, inside,
                   "type_constraint must be a list of what is allowed",
                   "as in - {self: T0, __ret_0: T0}");
    for (std::size_t i = 0; i < list->items.size(); ++i)
      read_alternative(list->items[i], fmt::format("{}/{}", inside, i), aliases, known, read);
  }

  void read_alternative(const json::Value& value, const std::string& pointer,
                        const ReadAliases& aliases, const std::optional<KnownNames>& known,
                        DtypeConstraints& read) {
    if (!value.is_object())
      return error(value, pointer, "an alternative must be a map from names to aliases");
    auto& names = read.alternatives.emplace_back();
    std::vector<std::string> given;
    for (const json::Member& member : value.members) {
      given.emplace_back(member.key);
      const std::string at = fmt::format("{}/{}", pointer, member.key);
      if (known && !has_word(known->all, member.key))
        place_.out.error(place_.key(member, at),
                         fmt::format("the operator has no argument \"{}\"", member.key),
                         meant(member.key, known->all));
      const auto alias = alias_of(member.value, at, aliases);
      if (alias) names.push_back({std::string(member.key), *alias, place_.key(member, at)});
    }
    if (known) check_complete(value, pointer, given, known->tensors);
    check_alike(value, pointer, given);
  }

  // Alternatives must all be of the same names.
  void check_alike(const json::Value& value, const std::string& pointer,
                   std::vector<std::string> given) {
    std::sort(given.begin(), given.end());
    if (pointer.ends_with("/type_constraint/0")) {
      first_names_ = std::move(given);
    } else if (given != first_names_) {
      error(value, pointer, "this alternative names others than the first one",
            "that has " + join(first_names_, ", "));
    }
  }

  std::optional<std::size_t> alias_of(const json::Value& value, const std::string& pointer,
                                      const ReadAliases& aliases) {
    const auto& types = aliases.aliases.types;
    for (std::size_t i = 0; i < types.size(); ++i)
      if (value.is_string() && types[i].name == value.text) return i;
    std::vector<std::string> names;
    for (const auto& type : types) names.push_back(type.name);
    if (!has_word(aliases.broken, value.text))
      error(value, pointer, fmt::format("Undefined type alias: {}", python_text(value)),
            did_you_mean(value.text, names));
    return std::nullopt;
  }

  void check_complete(const json::Value& value, const std::string& pointer,
                      const std::vector<std::string>& given,
                      const std::vector<std::string>& tensors) {
    std::vector<std::string> missing;
    for (const std::string& tensor : tensors)
      if (!has_word(given, tensor)) missing.push_back(tensor);
    if (!missing.empty())
      error(value, pointer,
            fmt::format("this alternative does not name the tensor {}", join(missing, ", ")));
  }

  const YamlPlace& place_;
  const ops::Catalogue* catalogue_;
  std::vector<DtypeConstraints> all_;
  std::map<std::string, Where> places_;   // places of operators
  std::vector<std::string> first_names_;  // names of the entry's first alternative
};

// Tells whether an operator that returns its results takes the arguments of `schema` but its `out`.
bool takes_the_same(const ops::Schema& functional, const ops::Schema& schema) {
  const auto all = ops::arguments_of(functional);
  auto own = ops::arguments_of(schema);
  own.resize(own.size() - schema.out.size());
  return std::equal(all.begin(), all.end(), own.begin(), own.end(),
                    [](const ops::Argument* a, const ops::Argument* b) {
                      return a->name == b->name && ops::text(a->type) == ops::text(b->type);
                    });
}

// Tells whether an entry of an operator of unknown schema names all tensors that `schema` takes.
bool names_the_same(const DtypeConstraints& entry, const ops::Schema& schema) {
  auto own = tensor_arguments(schema);
  own.resize(own.size() - schema.out.size());
  return std::all_of(own.begin(), own.end(), [&](const ops::Argument* argument) {
    const auto& names = entry.alternatives.front();
    return std::any_of(names.begin(), names.end(),
                       [&](const ConstrainedName& one) { return one.name == argument->name; });
  });
}

bool is_of(const DtypeConstraints& entry, const ops::Schema& schema) {
  const ops::OperatorName name = ops::operator_name(entry.op);
  return name.name_space == schema.name.name_space && name.base == schema.name.base;
}

std::vector<const ConstrainedName*> unknown_names(const DtypeConstraints& entry,
                                                  const std::vector<std::string>& known) {
  std::vector<const ConstrainedName*> unknown;
  for (const auto& alternative : entry.alternatives) {
    for (const ConstrainedName& one : alternative)
      if (!has_word(known, one.name)) unknown.push_back(&one);
  }
  return unknown;
}

// Checks names by the schema that knows most of them.
void check_names_of(const DtypeConstraints& entry, const std::vector<const ops::Schema*>& schemas,
                    Diagnostics& out) {
  const ops::Schema* best = nullptr;
  std::vector<const ConstrainedName*> fewest;
  for (const ops::Schema* schema : schemas) {
    if (!is_of(entry, *schema)) continue;
    auto unknown = unknown_names(entry, names_of(*schema).all);
    if (best != nullptr && unknown.size() >= fewest.size()) continue;
    best = schema;
    fewest = std::move(unknown);
  }
  for (const ConstrainedName* one : fewest)
    out.error(one->where,
              fmt::format("{} has no argument \"{}\"", ops::full_name(best->name), one->name),
              meant(one->name, names_of(*best).all));
}

}  // namespace

void check_constrained_names(const std::vector<DtypeConstraints>& all,
                             const std::vector<const ops::Schema*>& schemas,
                             Diagnostics& diagnostics) {
  for (const DtypeConstraints& entry : all) {
    const std::string name_space = ops::operator_name(entry.op).name_space;
    if (name_space == "aten") continue;  // those have been held against PyTorch's schemas
    std::vector<std::string> names;
    bool is_there = false;
    for (const ops::Schema* schema : schemas) {
      is_there = is_there || is_of(entry, *schema);
      if (schema->name.name_space == name_space)
        names.push_back(fmt::format("{}::{}", name_space, schema->name.base));
    }
    if (!is_there && !names.empty())
      diagnostics.error(entry.where, fmt::format("no library has {}", entry.op),
                        did_you_mean(entry.op, names));
    else
      check_names_of(entry, schemas, diagnostics);
  }
}

std::vector<DtypeConstraints> read_dtype_constraints(const Source& source,
                                                     const ops::Catalogue* catalogue,
                                                     Diagnostics& diagnostics) {
  json::Memory memory;
  const std::size_t before = diagnostics.errors();
  const json::Value root = parse_yaml(source, memory, diagnostics);
  if (diagnostics.errors() != before) return {};
  const YamlPlace place{source, diagnostics};
  return ConstraintReader(place, catalogue).read(root);
}

bool looks_like_dtype_constraints(std::string_view text) {
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view words = trim(line);
    if (words.starts_with("type_constraint:")) return true;
    if (words.starts_with("kernels:") || words.starts_with("- op:")) return false;
  }
  return false;
}

std::string result_name(const ops::Schema& schema, std::size_t i) {
  const std::string& name = schema.returns[i].name;
  return name.empty() ? fmt::format("__ret_{}", i) : name;
}

const DtypeConstraints* constraints_of(const std::vector<DtypeConstraints>& all,
                                       const ops::Schema& schema, const ops::Catalogue* catalogue) {
  const std::string name = ops::full_name(schema.name);
  for (const DtypeConstraints& one : all)
    if (one.op == name) return &one;
  for (const DtypeConstraints& one : all) {
    const ops::OperatorName functional = ops::operator_name(one.op);
    if (functional.name_space != schema.name.name_space || functional.base != schema.name.base)
      continue;
    const auto known = catalogue == nullptr ? std::nullopt : catalogue->find(one.op);
    if (known ? takes_the_same(known->schema, schema) : names_the_same(one, schema)) return &one;
  }
  return nullptr;
}

}  // namespace kbench
