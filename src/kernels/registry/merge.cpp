#include "kernels/registry/merge.hpp"

#include <fmt/format.h>

#include <map>

#include "base/text.hpp"
#include "base/words.hpp"
#include "kernels/registry/arg_meta.hpp"
#include "kernels/registry/kernel_key.hpp"
#include "schema/place.hpp"
#include "schema/yaml.hpp"

namespace kbench {
namespace {

// Returns the kernels that an entry registers, by "default" and the texts of keys.
std::map<std::string, const Kernel*> registered(const OperatorEntry& entry) {
  std::map<std::string, const Kernel*> kernels;
  for (const Kernel& kernel : entry.kernels) {
    if (kernel.is_default) kernels["default"] = &kernel;
    for (const KernelKey& key : kernel.keys) kernels[key_text(key)] = &kernel;
  }
  return kernels;
}

// Warns of calls that `lost` served and `first` does not serve, so that nothing does.
void warn_of_loss(const Kernel& first, const Kernel& lost, const std::string& key,
                  Diagnostics& out) {
  if (is_always_there(first)) return;
  const std::string when = first.conditions.empty() ? "on " + text(first.backend)
                                                    : "where " + join(first.conditions, ", ");
  out.warning(lost.where,
              fmt::format("{} is left out: {} has {}, and serves it {} alone", lost.name,
                          first.name, key, when),
              fmt::format("the other one: {}; both libraries as they are serve all calls",
                          short_place(first.where)));
}

// Returns the kernels that only the fallback registers.
std::vector<Kernel> missing_kernels(const OperatorEntry& entry, const OperatorEntry& fallback,
                                    Diagnostics& out) {
  const auto has = registered(entry);
  std::vector<Kernel> missing;
  for (Kernel kernel : fallback.kernels) {
    const auto is_lost = [&](const std::string& key, const std::string& shown) {
      const auto first = has.find(key);
      if (first != has.end()) warn_of_loss(*first->second, kernel, shown, out);
      return first != has.end();
    };
    if (kernel.is_default && is_lost("default", "the default")) continue;
    std::erase_if(kernel.keys, [&](const KernelKey& key) {
      return is_lost(key_text(key), "the key " + human_text(key));
    });
    if (kernel.is_default || !kernel.keys.empty()) missing.push_back(std::move(kernel));
  }
  return missing;
}

bool are_said_alike(const Kernel& a, const Kernel& b) {
  return a.platform == b.platform && a.backend == b.backend && a.priority == b.priority &&
         a.conditions == b.conditions;
}

std::string type_name(int code) {
  const ScalarTypeInfo* const type = find_scalar_type(code);
  return type == nullptr ? std::to_string(code) : std::string(type->name);
}

// Returns "D0123"; with "_" from eleven dimensions on.
std::string dims_name(const std::vector<int>& dims) {
  std::vector<std::string> words;
  for (const int dim : dims) words.push_back(std::to_string(dim));
  return "D" + join(words, dims.size() > 10 ? "_" : "");
}

// Writes an entry anew from its kernels: an alias for each value, named after it.
class EntryWriter {
 public:
  explicit EntryWriter(const OperatorEntry& entry) : entry_(entry) {}

  std::string kernels_text(const std::vector<Kernel>& kernels) {
    std::string list;
    for (const Kernel& kernel : kernels) {
      if (kernel.is_default) list += kernel_text("null", kernel.name);
      for (const KernelKey& key : kernel.keys) list += kernel_text(meta_text(key), kernel.name);
    }
    std::string out;
    if (!types_.empty()) out += "  type_alias:\n" + aliases_text(types_);
    if (!dims_.empty()) out += "  dim_order_alias:\n" + aliases_text(dims_);
    return out + "  kernels:\n" + list;
  }

 private:
  static std::string kernel_text(const std::string& meta, const std::string& name) {
    return fmt::format("    - arg_meta: {}\n      kernel_name: {}\n", meta, yaml_word(name));
  }

  static std::string aliases_text(const std::map<std::string, std::string>& aliases) {
    std::string out;
    for (const auto& [name, values] : aliases) out += fmt::format("    {}: [{}]\n", name, values);
    return out;
  }

  std::string meta_text(const KernelKey& key) {
    const auto arguments = tensor_arguments(entry_.schema);
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < key.size(); ++i)
      parts.push_back(
          fmt::format("{}: [{}, {}]", arguments[i]->name, type_alias(key[i]), dims_alias(key[i])));
    return "{" + join(parts, ", ") + "}";
  }

  std::string type_alias(const TensorMeta& meta) {
    if (!meta.scalar_type) return "\"*\"";
    const std::string name = type_name(*meta.scalar_type);
    types_[name] = name;
    return name;
  }

  std::string dims_alias(const TensorMeta& meta) {
    if (!meta.dim_order) return "\"*\"";
    const std::string name = dims_name(*meta.dim_order);
    std::vector<std::string> words;
    for (const int dim : *meta.dim_order) words.push_back(std::to_string(dim));
    dims_[name] = join(words, ", ");
    return name;
  }

  const OperatorEntry& entry_;
  std::map<std::string, std::string> types_;
  std::map<std::string, std::string> dims_;
};

class Merger {
 public:
  Merger(const MergeSide& first, const MergeSide& fallback, MergeBy by, Diagnostics& out)
      : first_(first), fallback_(fallback), by_(by), diagnostics_(out) {}

  std::string merge() {
    std::map<std::string, const OperatorEntry*> others;
    for (const OperatorEntry& entry : fallback_.library.operators)
      others[ops::full_name(entry.schema.name)] = &entry;
    const json::Value mine = parse(first_.source);
    const json::Value theirs = parse(fallback_.source);
    for (std::size_t i = 0; i < first_.library.operators.size(); ++i) {
      const OperatorEntry& entry = first_.library.operators[i];
      const auto other = others.find(ops::full_name(entry.schema.name));
      const bool both = by_ == MergeBy::kernel && other != others.end();
      add(both ? united(mine.items[i], entry, *other->second) : whole(mine.items[i], entry));
      if (other != others.end()) others.erase(other);
    }
    for (std::size_t i = 0; i < fallback_.library.operators.size(); ++i) {
      const OperatorEntry& entry = fallback_.library.operators[i];
      if (!others.contains(ops::full_name(entry.schema.name))) continue;
      check_names(entry.kernels);
      add(whole(theirs.items[i], entry));
    }
    return out_.empty() ? "[]\n" : out_;
  }

 private:
  // Sidecars tell kernels apart by their names alone.
  void check_names(const std::vector<Kernel>& taken) {
    for (const Kernel& kernel : taken) {
      for (const OperatorEntry& entry : first_.library.operators) {
        for (const Kernel& other : entry.kernels) {
          if (other.name != kernel.name || are_said_alike(other, kernel)) continue;
          diagnostics_.error(kernel.where,
                             fmt::format("sidecars say different things of {} here and of the {} "
                                         "of the other library",
                                         kernel.name, other.name),
                             fmt::format("the other one: {}; one of them needs another name",
                                         short_place(other.where)));
          return;
        }
      }
    }
  }

  json::Value parse(const Source& source) {
    Diagnostics said;
    return parse_yaml(source, memory_, said);
  }

  void add(const std::string& entry) {
    if (!out_.empty()) out_ += "\n";
    out_ += entry;
  }

  // Returns "op: aten::add.out", or the full schema; then the other keys but `without`.
  std::string head(const json::Value& value, const OperatorEntry& entry,
                   std::initializer_list<std::string_view> without) {
    const bool is_custom = entry.is_custom;
    std::string out = fmt::format(
        "- {}: {}\n", is_custom ? "func" : "op",
        yaml_word(is_custom ? ops::text(entry.schema) : ops::full_name(entry.schema.name)));
    for (const json::Member& member : value.members) {
      if (is_one_of(member.key, {"op", "func"}) || is_one_of(member.key, without)) continue;
      json::Value map;
      map.kind = json::Kind::object;
      map.members = std::span(&member, 1);
      out += indented(write_yaml(map));
    }
    return out;
  }

  static std::string indented(const std::string& text) {
    std::string out;
    for (const std::string_view line : split(text, '\n'))
      if (!line.empty()) out += fmt::format("  {}\n", line);
    return out;
  }

  std::string whole(const json::Value& value, const OperatorEntry& entry) {
    return head(value, entry, {});
  }

  std::string united(const json::Value& value, const OperatorEntry& entry,
                     const OperatorEntry& fallback) {
    std::vector<Kernel> missing = missing_kernels(entry, fallback, diagnostics_);
    if (missing.empty()) return whole(value, entry);
    check_names(missing);
    std::vector<Kernel> kernels = entry.kernels;
    kernels.insert(kernels.end(), missing.begin(), missing.end());
    return head(value, entry, {"kernels", "dispatch", "type_alias", "dim_order_alias"}) +
           EntryWriter(entry).kernels_text(kernels);
  }

  const MergeSide& first_;
  const MergeSide& fallback_;
  MergeBy by_;
  Diagnostics& diagnostics_;
  json::Memory memory_;
  std::string out_;
};

}  // namespace

std::string merge_kernel_yaml(const MergeSide& first, const MergeSide& fallback, MergeBy by,
                              Diagnostics& diagnostics) {
  return Merger(first, fallback, by, diagnostics).merge();
}

}  // namespace kbench
