#include "kernels/operators/catalogue.hpp"

#include <algorithm>
#include <filesystem>

#include "base/file.hpp"
#include "base/python.hpp"
#include "base/text.hpp"
#include "kernels/operators/parse.hpp"
#include "kernels/operators/rules.hpp"

namespace kbench::ops {
namespace {

bool is_tensor_like(const Type& type) { return type.base == BaseType::tensor; }

// Tells whether the argument is one of the four that say where a new tensor is made: dtype, layout,
// device, pin_memory.
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

// Drops alias annotations, and the options of new tensors: the outputs exist already.
void drop_annotations(Schema& schema) {
  auto& options = schema.keyword_only;
  const auto begin = static_cast<std::ptrdiff_t>(find_tensor_options(options));
  if (begin != static_cast<std::ptrdiff_t>(options.size()))
    options.erase(options.begin() + begin, options.begin() + begin + 4);
  for (Argument& argument : schema.positional) argument.alias.reset();
  for (Argument& argument : options) argument.alias.reset();
}

// Returns "__add__" for "__iadd__", "add" for "add_"; other names stay as they are.
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

// Returns the letters that no argument uses.
std::vector<std::string> free_letters(const Schema& schema) {
  std::string used;
  for (const Argument* argument : arguments_of(schema))
    if (argument->alias) used += argument->alias->before;
  std::vector<std::string> letters;
  for (char c = 'a'; c <= 'z'; ++c)
    if (used.find(c) == std::string::npos) letters.emplace_back(1, c);
  return letters;
}

// Makes an output of every tensor that is returned. Plain tensors, where all results are such, are
// returned as well. Each needs a free letter.
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
  for (const Argument& argument : schema.positional)
    if (!is_self(argument)) add_written(argument);
  variant.out.clear();
  drop_annotations(variant);
  return variant;
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view entry_key = "- func: ";
constexpr std::string_view derived_key = "  autogen: ";
constexpr std::string_view tag_key = "- tag: ";
constexpr std::string_view tags_key = "  tags: ";

// Returns the value of a line without its comment.
std::string_view value_of(std::string_view line, std::string_view key) {
  std::string_view value = line.substr(key.size());
  value = value.substr(0, value.find(" #"));
  return trim(value);
}

std::string_view name_of(std::string_view schema) { return schema.substr(0, schema.find('(')); }

std::string_view without_aten(std::string_view name) {
  if (name.starts_with("aten::")) name.remove_prefix(6);
  return name;
}

// Tells whether two schemas take the same arguments, but for outputs.
bool takes_alike(const Schema& a, const Schema& b) {
  const auto is_alike = [](const Argument& x, const Argument& y) {
    return x.name == y.name && x.type == y.type;
  };
  return std::equal(a.positional.begin(), a.positional.end(), b.positional.begin(),
                    b.positional.end(), is_alike) &&
         std::equal(a.keyword_only.begin(), a.keyword_only.end(), b.keyword_only.begin(),
                    b.keyword_only.end(), is_alike);
}

}  // namespace

// Reads a file that has a line for each key and no nesting that matters here; all of YAML would
// take a hundred times as long.
Catalogue::Catalogue(Source source, const Source& tags) : source_(std::move(source)) {
  for (const std::string_view line : split(tags.text, '\n'))
    if (line.starts_with(tag_key)) tags_.emplace_back(value_of(line, tag_key));
  Entry entry;
  int line_number = 0;
  for (const std::string_view line : split(source_.text, '\n')) {
    ++line_number;
    if (line.starts_with(entry_key)) {
      const std::string_view schema = value_of(line, entry_key);
      const auto begin = static_cast<std::size_t>(schema.data() - source_.text.data());
      entry = {begin, schema.size(), line_number, false};
      entries_.insert_or_assign(std::string(name_of(schema)), entry);
    } else if (line.starts_with(derived_key)) {
      for (const std::string_view name : split(value_of(line, derived_key), ','))
        entries_.try_emplace(std::string(trim(name)),
                             Entry{entry.begin, entry.length, entry.line, true});
    }
  }
}

std::optional<KnownOperator> Catalogue::find(std::string_view name) const {
  name = without_aten(name);
  const auto found = entries_.find(name);
  if (found == entries_.end()) return std::nullopt;
  const Entry& entry = found->second;
  const std::string_view text = source_.text;
  const ParsedSchema parsed = parse_schema(text.substr(entry.begin, entry.length));
  if (!parsed.schema) return std::nullopt;
  if (!entry.is_derived) return KnownOperator{*parsed.schema, entry.line, ""};
  const std::string origin = text_without_namespace(parsed.schema->name);
  const std::optional<Schema> out = out_variant(*parsed.schema);
  if (out && text_without_namespace(out->name) == name)
    return KnownOperator{*out, entry.line, origin};
  return KnownOperator{functional_variant(*parsed.schema), entry.line, origin};
}

std::vector<std::string> Catalogue::names() const {
  std::vector<std::string> all;
  for (const auto& [name, entry] : entries_) all.push_back(name);
  return all;
}

std::vector<std::string> Catalogue::overloads(std::string_view base) const {
  base = without_aten(base);
  std::vector<std::string> all;
  for (const auto& [name, entry] : entries_)
    if (name.substr(0, name.find('.')) == base) all.push_back(name);
  return all;
}

std::optional<Schema> Catalogue::functional_of(const Schema& schema) const {
  const std::size_t written = schema.out.empty() ? schema.returns.size() : schema.out.size();
  for (const std::string& name : overloads(schema.name.base)) {
    const auto known = find(name);
    if (!known || kind_of(known->schema) != SchemaKind::functional) continue;
    const auto variant = out_variant(known->schema);
    const bool is_it =
        variant && takes_alike(*variant, schema) && known->schema.returns.size() == written;
    if (is_it) return known->schema;
  }
  return std::nullopt;
}

bool Catalogue::has_tag(std::string_view name, std::string_view tag) const {
  const auto found = entries_.find(without_aten(name));
  if (found == entries_.end()) return false;
  std::string_view entry = std::string_view(source_.text).substr(found->second.begin);
  entry = entry.substr(0, entry.find("\n- func: "));
  for (const std::string_view line : split(entry, '\n')) {
    if (!line.starts_with(tags_key)) continue;
    std::string_view list = value_of(line, tags_key);
    if (list.starts_with('[')) list = list.substr(1, list.find(']') - 1);
    for (const std::string_view one : split(list, ','))
      if (trim(one) == tag) return true;
  }
  return false;
}

namespace {

std::optional<Catalogue> read_installed() {
  const auto torch = find_libtorch();
  if (!torch) return std::nullopt;
  std::error_code error;
  const fs::path package = fs::canonical(torch->folder, error).parent_path();
  const fs::path folder = package / "torchgen/packaged/ATen/native";
  const fs::path functions = folder / "native_functions.yaml";
  const fs::path tags = folder / "tags.yaml";
  if (!fs::exists(functions, error) || !fs::exists(tags, error)) return std::nullopt;
  return Catalogue({functions.string(), read_file(functions)}, {tags.string(), read_file(tags)});
}

}  // namespace

const Catalogue* installed_catalogue() {
  static const std::optional<Catalogue> catalogue = read_installed();
  return catalogue ? &*catalogue : nullptr;
}

}  // namespace kbench::ops
