#include "kernels/registry/kernel_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.hpp"
#include "base/words.hpp"
#include "kernels/operators/name_rules.hpp"
#include "kernels/registry/arg_meta.hpp"
#include "kernels/registry/kernel_key.hpp"

namespace kbench {
namespace {

using json::Kind;

template <class Value>
const NamedValues<Value>* find(const std::vector<NamedValues<Value>>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const NamedValues<Value>& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

// Returns the numbers of the types; nullopt where one of them is unknown.
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

// Reads one dim order [0, 1], or several [[0, 1], [1, 0]].
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

// Returns the members of a section; none where it is missing or no map, which is reported.
std::span<const json::Member> section_of(const json::Value& entry, std::string_view section,
                                         const std::string& pointer, const YamlPlace& place) {
  const json::Value* const aliases = entry.find(section);
  if (aliases == nullptr || aliases->kind == Kind::null) return {};
  if (!aliases->is_object())
    place.out.error(place.at(*aliases, pointer),
                    fmt::format("{} must be a map from names to lists", section));
  return aliases->members;
}

// Keeps the values of an alias, or else its name.
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

namespace {

constexpr std::size_t most_namespaces = 3;

// Returns "a::native::f" for "a::f": the namespace in which the generated headers declare it.
std::string native_symbol(const std::string& name) {
  const std::size_t colons = name.rfind("::");
  if (colons == std::string::npos) return "at::native::" + name;
  return name.substr(0, colons) + "::native" + name.substr(colons);
}

std::vector<std::string> names_in(std::string_view qualified) {
  std::vector<std::string> names;
  for (std::size_t colons = 0; (colons = qualified.find("::")) != std::string_view::npos;) {
    names.emplace_back(qualified.substr(0, colons));
    qualified.remove_prefix(colons + 2);
  }
  names.emplace_back(qualified);
  return names;
}

// Returns the symbol that a kernel_name stands for; nullopt where it is no name, which is reported.
std::optional<std::string> read_symbol(const json::Value* value, const json::Value& around,
                                       const std::string& pointer, const YamlPlace& place) {
  if (value == nullptr || !value->is_string()) {
    place.out.error(
        value == nullptr ? place.at(around, pointer) : place.at(*value, pointer + "/kernel_name"),
        "kernel_name must name a function", "as in torch::executor::add_out");
    return std::nullopt;
  }
  const Where where = place.at(*value, pointer + "/kernel_name");
  const std::vector<std::string> names = names_in(value->text);
  if (names.size() > most_namespaces + 1) {
    const std::string_view spaces = value->text.substr(0, value->text.rfind("::"));
    place.out.error(
        where,
        fmt::format("Codegen doesn't support more than {} level(s) of custom namespace. Got {}.",
                    most_namespaces, spaces));
    return std::nullopt;
  }
  for (const std::string& name : names) {
    if (ops::is_identifier(name) && !ops::is_taken_in_cpp(name)) continue;
    place.out.error(where, fmt::format("\"{}\" is no name of a function of C++", value->text));
    return std::nullopt;
  }
  return native_symbol(std::string(value->text));
}

class KernelEntryReader {
 public:
  KernelEntryReader(const json::Value& entry, std::string pointer, const ops::Schema* schema,
                    const YamlPlace& place)
      : entry_(entry), pointer_(std::move(pointer)), schema_(schema), place_(place) {}

  std::vector<Kernel> read() {
    const json::Value* const kernels = entry_.find("kernels");
    const json::Value* const dispatch = entry_.find("dispatch");
    if (kernels != nullptr) {
      read_list(*kernels);
    } else if (dispatch != nullptr) {
      read_dispatch(*dispatch);
    } else if (schema_ != nullptr) {
      read_nothing();
    }
    return std::move(kernels_);
  }

 private:
  void read_list(const json::Value& list) {
    const std::string pointer = pointer_ + "/kernels";
    if (list.kind == Kind::null || (list.kind == Kind::array && list.items.empty())) {
      place_.out.warning(place_.at(list, pointer),
                         fmt::format("{} has no kernels: nothing is registered for it",
                                     schema_ == nullptr ? "it" : full_name(schema_->name)));
      return;
    }
    if (list.kind != Kind::array) {
      place_.out.error(place_.at(list, pointer), "kernels must be a list");
      return;
    }
    const ReadAliases aliases = read_aliases(entry_, pointer_, place_);
    for (std::size_t i = 0; i < list.items.size(); ++i)
      read_kernel(list.items[i], fmt::format("{}/{}", pointer, i), aliases);
  }

  void read_kernel(const json::Value& value, const std::string& pointer,
                   const ReadAliases& aliases) {
    if (!value.is_object()) {
      place_.out.error(place_.at(value, pointer),
                       "a kernel must be a map with arg_meta and kernel_name");
      return;
    }
    check_keys(value, pointer);
    const auto symbol = read_symbol(value.find("kernel_name"), value, pointer, place_);
    Kernel kernel;
    kernel.where = place_.at(value, pointer);
    const json::Value* const arg_meta = value.find("arg_meta");
    kernel.is_default = arg_meta == nullptr || arg_meta->kind == Kind::null;
    if (!kernel.is_default) {
      if (schema_ == nullptr) return;  // the arguments that it may name are unknown
      const auto keys = read_arg_meta(*arg_meta, pointer + "/arg_meta", *schema_, aliases, place_);
      if (!keys) return;
      kernel.keys = *keys;
    }
    if (!symbol) return;
    kernel.name = value.find("kernel_name")->text;
    kernel.symbol = *symbol;
    if (is_new(kernel)) kernels_.push_back(std::move(kernel));
  }

  // ExecuTorch passes over keys that it does not know; a slip of one that it knows would make a
  // kernel for certain tensors one for all.
  void check_keys(const json::Value& kernel, const std::string& pointer) {
    static const std::vector<std::string> known = {"arg_meta", "kernel_name"};
    for (const json::Member& member : kernel.members) {
      if (is_one_of(member.key, {"arg_meta", "kernel_name"})) continue;
      const std::string hint = did_you_mean(member.key, known);
      place_.out.add({hint.empty() ? Level::warning : Level::error,
                      place_.key(member, fmt::format("{}/{}", pointer, member.key)),
                      fmt::format("unknown key \"{}\" of a kernel", member.key), hint});
    }
  }

  // Tells whether no kernel of the same backend has its keys, and reports those that one has.
  bool is_new(const Kernel& kernel) {
    bool is_new = true;
    const auto note = [&](const std::string& key, const std::string& shown) {
      const auto [first, inserted] =
          places_.try_emplace(text(kernel.backend) + " " + key, kernel.where);
      if (inserted) return;
      place_.out.error(kernel.where, fmt::format("Duplicate kernel key: {}", shown),
                       fmt::format("the other kernel: {}", short_place(first->second)));
      is_new = false;
    };
    if (kernel.is_default) note("default", "default");
    for (const KernelKey& key : kernel.keys) note(key_text(key), human_text(key));
    return is_new;
  }

  void read_dispatch(const json::Value& dispatch) {
    const std::string pointer = pointer_ + "/dispatch";
    if (!dispatch.is_object()) {
      place_.out.error(place_.at(dispatch, pointer),
                       "dispatch must be a map from backends to functions");
      return;
    }
    for (const json::Member& member : dispatch.members) {
      const std::string inside = fmt::format("{}/{}", pointer, member.key);
      for (const std::string_view key : split(member.key, ',')) {
        const auto symbol = read_symbol(&member.value, member.value, inside, place_);
        if (!symbol) break;
        Kernel kernel;
        kernel.symbol = *symbol;
        kernel.name = member.value.text;
        if (key.find("CUDA") != std::string_view::npos) {
          kernel.platform = "cuda";
          kernel.backend = {"gpu", ""};
        }
        kernel.where = place_.at(member.value, inside);
        if (is_new(kernel)) kernels_.push_back(std::move(kernel));
      }
    }
  }

  void read_nothing() {
    Kernel kernel;
    kernel.name = schema_->name.base + (schema_->out.empty() ? "" : "_out");
    kernel.symbol = native_symbol(kernel.name);
    kernel.where = place_.at(entry_, pointer_);
    kernels_.push_back(std::move(kernel));
  }

  const json::Value& entry_;
  std::string pointer_;
  const ops::Schema* schema_;
  const YamlPlace& place_;
  std::vector<Kernel> kernels_;
  std::map<std::string, Where> places_;  // places of keys
};

}  // namespace

std::vector<Kernel> read_kernels(const json::Value& entry, const std::string& pointer,
                                 const ops::Schema* schema, const YamlPlace& place) {
  return KernelEntryReader(entry, pointer, schema, place).read();
}

}  // namespace kbench
