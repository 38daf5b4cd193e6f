#include "registry/selected_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"

namespace kbench {
namespace {

// A key of a selection; of "v1/6;" the dtype of the first tensor is known, and nothing else.
struct Wanted {
  KernelKey key;
  bool is_dtype_alone = false;
};

// The version of a key counts for nothing here: ExecuTorch's tools pass over it, too.
std::optional<Wanted> parse_wanted(const std::string& text) {
  std::string body = text;
  if (const std::size_t slash = text.find('/'); slash != std::string::npos)
    body = "v1/" + text.substr(slash + 1);
  std::string why;
  auto key = parse_key(body, why);
  if (!key) return std::nullopt;
  return Wanted{*key, key->size() == 1 && body.ends_with(';')};
}

bool serves(const KernelKey& offered, const Wanted& wanted, std::size_t outputs) {
  if (matches(offered, wanted.key, outputs)) return true;
  return wanted.is_dtype_alone && !offered.empty() &&
         offered[0].scalar_type == wanted.key[0].scalar_type;
}

// Whether a kernel serves its key wherever a program runs, and whatever its axes: else another must
// stand behind it.
bool serves_everywhere(const Kernel& kernel) {
  return kernel.conditions.empty() && kernel.backend.refinement.empty() &&
         kernel.backend.device != "gpu";
}

// All entries of one operator, which several libraries may have.
class Chooser {
 public:
  Chooser(std::vector<const OperatorEntry*> entries, Diagnostics& out)
      : entries_(std::move(entries)), out_(out) {}

  void choose(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) {
      if (key == "default") {
        take_all();
      } else {
        take(key);
      }
    }
  }

  // In the order of the libraries.
  std::vector<SelectedKernel> chosen() const {
    std::vector<SelectedKernel> all;
    for_each_kernel([&](const OperatorEntry& entry, const Kernel& kernel) {
      if (kernel.is_default && (with_all_ || with_default_))
        all.push_back({&entry, &kernel, std::nullopt});
      for (const KernelKey& key : kernel.keys) {
        if (with_all_ || keys_.contains(key_text(key))) all.push_back({&entry, &kernel, key});
      }
    });
    return all;
  }

  void take_all() { with_all_ = true; }

 private:
  template <class Visit>
  void for_each_kernel(Visit visit) const {
    for (const OperatorEntry* entry : entries_) {
      for (const Kernel& kernel : entry->kernels) visit(*entry, kernel);
    }
  }

  void take(const std::string& text) {
    const OperatorEntry& first = *entries_.front();
    const std::string name = ops::full_name(first.schema.name);
    const auto wanted = parse_wanted(text);
    if (!wanted)
      return out_.error(first.where, fmt::format("\"{}\" of {} is no kernel key", text, name));
    bool is_served = false;
    bool is_served_everywhere = false;
    bool has_default = false;
    for_each_kernel([&](const OperatorEntry& entry, const Kernel& kernel) {
      has_default |= kernel.is_default;
      for (const KernelKey& key : kernel.keys) {
        if (!serves(key, *wanted, entry.schema.out.size())) continue;
        keys_.insert(key_text(key));
        is_served = true;
        is_served_everywhere |= serves_everywhere(kernel);
      }
    });
    with_default_ |= has_default && (!is_served_everywhere || wanted->is_dtype_alone);
    if (!is_served && !has_default)
      out_.error(first.where,
                 fmt::format("Missing kernel for the model: {} has none for {}, and no default",
                             name, human_text(wanted->key)),
                 hint());
  }

  std::string hint() const {
    std::vector<std::string> keys;
    for_each_kernel([&](const OperatorEntry&, const Kernel& kernel) {
      for (const KernelKey& key : kernel.keys) keys.push_back(human_text(key));
    });
    return keys.empty() ? "it has no kernels at all" : "it has them for " + join(keys, "; ");
  }

  std::vector<const OperatorEntry*> entries_;
  Diagnostics& out_;
  std::set<std::string> keys_;
  bool with_default_ = false;
  bool with_all_ = false;
};

// The operator's settings in the selection, by its own name or by its base.
const SelectedOperator* find_selected(const OperatorSelection& selection, const std::string& name) {
  const auto own = selection.operators.find(name);
  if (own != selection.operators.end()) return &own->second;
  const auto base = selection.operators.find(ops::packet_name(name));
  const bool all = base != selection.operators.end() && base->second.include_all_overloads;
  return all ? &base->second : nullptr;
}

using NamedEntries = std::pair<std::string, std::vector<const OperatorEntry*>>;

// In the order in which operators first come.
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
