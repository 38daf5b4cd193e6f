#include "kernels/registry/selected_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "kernels/registry/lookup.hpp"
#include "kernels/registry/registry.hpp"

namespace kbench {
namespace {

// Key of a selection; "v1/6;" tells the dtype of the first tensor, and nothing else.
struct Wanted {
  KernelKey key;
  bool is_dtype_alone = false;
};

// Versions of keys count for nothing here: ExecuTorch's tools pass over them, too.
std::optional<Wanted> parse_wanted(const std::string& text) {
  std::string body = text;
  if (const std::size_t slash = text.find('/'); slash != std::string::npos)
    body = "v1/" + text.substr(slash + 1);
  std::string why;
  auto key = parse_key(body, why);
  if (!key) return std::nullopt;
  return Wanted{*key, key->size() == 1 && body.ends_with(';')};
}

bool serves_some(const SelectedKernel& one, const Wanted& wanted) {
  if (!one.key || may_match(*one.key, wanted.key, one.entry->schema.out.size())) return true;
  if (!wanted.is_dtype_alone || one.key->empty()) return false;
  const std::optional<int>& type = one.key->front().scalar_type;
  return !type || type == wanted.key[0].scalar_type;
}

// Tells whether it serves on every machine and with all axes: else another must stand behind it.
bool serves_all(const SelectedKernel& one, const Wanted& wanted) {
  if (!is_always_there(*one.kernel)) return false;
  const bool is_known = !wanted.is_dtype_alone;
  return !one.key || (is_known && matches(*one.key, wanted.key, one.entry->schema.out.size()));
}

// Entries of one operator, which several libraries may have.
class Chooser {
 public:
  Chooser(std::vector<const OperatorEntry*> entries, Diagnostics& out)
      : entries_(std::move(entries)),
        out_(out),
        all_(all_of(entries_)),
        in_order_(in_order(all_)) {}

  void choose(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
      if (key == "default") {
        take_all();
      } else {
        take(key);
      }
    }
  }

  // Returns the chosen kernels in the order of the libraries.
  std::vector<SelectedKernel> chosen() const {
    std::vector<SelectedKernel> chosen = all_;
    if (!with_all_)
      std::erase_if(chosen,
                    [&](const SelectedKernel& one) { return !taken_.contains(id_of(one)); });
    return chosen;
  }

  void take_all() { with_all_ = true; }

 private:
  // Kernel, and its key as a text.
  using Id = std::pair<const Kernel*, std::string>;
  static Id id_of(const SelectedKernel& one) {
    return {one.kernel, one.key ? key_text(*one.key) : "default"};
  }

  static std::vector<SelectedKernel> all_of(const std::vector<const OperatorEntry*>& entries) {
    std::vector<SelectedKernel> all;
    for (const OperatorEntry* entry : entries) {
      for (const Kernel& kernel : entry->kernels) {
        if (kernel.is_default) all.push_back({entry, &kernel, std::nullopt});
        for (const KernelKey& key : kernel.keys) all.push_back({entry, &kernel, key});
      }
    }
    return all;
  }

  void take(const std::string& text) {
    const OperatorEntry& first = *entries_.front();
    const std::string name = ops::full_name(first.schema.name);
    const auto wanted = parse_wanted(text);
    if (!wanted)
      return out_.error(first.where, fmt::format("\"{}\" of {} is no kernel key", text, name));
    bool is_served = false;
    for (const SelectedKernel& one : in_order_) {
      if (!serves_some(one, *wanted)) continue;
      taken_.insert(id_of(one));
      is_served = true;
      if (serves_all(one, *wanted)) break;
    }
    if (!is_served)
      out_.error(first.where,
                 fmt::format("Missing kernel for the model: {} has none for {}, and no default",
                             name, human_text(wanted->key)),
                 hint());
  }

  std::string hint() const {
    std::vector<std::string> keys;
    for (const SelectedKernel& one : all_)
      if (one.key) keys.push_back(human_text(*one.key));
    return keys.empty() ? "it has no kernels at all" : "it has them for " + join(keys, "; ");
  }

  std::vector<const OperatorEntry*> entries_;
  Diagnostics& out_;
  std::vector<SelectedKernel> all_;
  std::vector<SelectedKernel> in_order_;
  std::set<Id> taken_;
  bool with_all_ = false;
};

// Returns the operator's settings in the selection, by its own name or by its base.
const SelectedOperator* find_selected(const OperatorSelection& selection, const std::string& name) {
  const auto own = selection.operators.find(name);
  if (own != selection.operators.end()) return &own->second;
  const auto base = selection.operators.find(ops::packet_name(name));
  const bool all = base != selection.operators.end() && base->second.include_all_overloads;
  return all ? &base->second : nullptr;
}

using NamedEntries = std::pair<std::string, std::vector<const OperatorEntry*>>;

// Groups entries, in the order in which operators first come.
std::vector<NamedEntries> entries_by_name(const std::vector<KernelLibrary>& libraries) {
  std::vector<NamedEntries> all;
  std::map<std::string, std::size_t> index;
  for (const KernelLibrary& library : libraries) {
    for (const OperatorEntry& entry : library.operators) {
      const std::string name = ops::full_name(entry.schema.name);
      const auto [at, is_new] = index.try_emplace(name, all.size());
      if (is_new) all.push_back({name, {}});
      all[at->second].second.push_back(&entry);
    }
  }
  return all;
}

void append(std::vector<SelectedKernel>& to, std::vector<SelectedKernel> from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

bool is_selected(const OperatorSelection& selection, const std::string& name) {
  if (selection.include_all_operators) return true;
  const SelectedOperator* const one = find_selected(selection, name);
  return one != nullptr && one->is_root_operator;
}

std::vector<SelectedKernel> in_order(const std::vector<SelectedKernel>& kernels) {
  std::vector<std::pair<Implementation, const SelectedKernel*>> all;
  for (const SelectedKernel& one : kernels)
    all.emplace_back(implementation_of(*one.entry, *one.kernel, one.key), &one);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return goes_before(a.first, b.first); });
  std::vector<SelectedKernel> sorted;
  for (const auto& one : all) sorted.push_back(*one.second);
  return sorted;
}

std::vector<SelectedKernel> all_kernels(const std::vector<KernelLibrary>& libraries) {
  OperatorSelection all;
  all.include_all_operators = true;
  Diagnostics said;
  return selected_kernels(libraries, all, said);
}

std::vector<SelectedKernel> selected_kernels(const std::vector<KernelLibrary>& libraries,
                                             const OperatorSelection& selection,
                                             Diagnostics& diagnostics) {
  std::vector<SelectedKernel> selected;
  for (const auto& [name, entries] : entries_by_name(libraries)) {
    if (!is_selected(selection, name)) continue;
    Chooser chooser(entries, diagnostics);
    const auto keys = selection.kernels.find(name);
    if (keys != selection.kernels.end()) chooser.choose(keys->second);
    const bool names_none = keys == selection.kernels.end() || keys->second.empty();
    if (selection.include_all_operators || names_none) chooser.take_all();
    append(selected, chooser.chosen());
  }
  return selected;
}

}  // namespace kbench
