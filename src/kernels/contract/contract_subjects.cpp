#include "kernels/contract/contract_subjects.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "kernels/codegen/definition_calls.hpp"
#include "kernels/registry/kernel_key.hpp"

namespace kbench {
namespace {

constexpr std::size_t most_combinations = 500;  // most combinations of a Definition's dtypes

bool has_dtypes_of(const Definition& a, const Definition& b) {
  return std::equal(
      a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(),
      [](const auto& one, const auto& other) { return one.second.dtype == other.second.dtype; });
}

class Finder {
 public:
  Finder(const Target& target, const KernelSet& kernels, const ContractOptions& options,
         const std::vector<DtypeConstraints>& constraints, Diagnostics& out)
      : target_(target),
        kernels_(kernels),
        options_(options),
        constraints_(constraints),
        out_(out),
        host_(find_host()) {}

  ContractSubjects find() {
    for (const KernelLibrary& library : kernels_.libraries) {
      for (const OperatorEntry& entry : library.operators)
        if (is_asked(ops::full_name(entry.schema.name))) add_operator(library, entry);
    }
    return std::move(found_);
  }

 private:
  bool is_asked(const std::string& op) const {
    const std::vector<std::string>& asked = options_.ops;
    return asked.empty() || std::find(asked.begin(), asked.end(), op) != asked.end();
  }

  // Definition that is linked to the operator.
  struct Link {
    const Stored<Definition>* stored;
    OperatorBinding binding;
  };

  std::vector<Link> links_of(const OperatorEntry& entry) {
    const std::string name = ops::full_name(entry.schema.name);
    std::vector<Link> links;
    bool is_linked = false;
    for (const Stored<Definition>& stored : target_.set.definitions) {
      if (!is_linked_to(stored.record, name)) continue;
      is_linked = true;
      std::vector<std::string> problems;
      const auto binding = bind_operator(stored.record, entry.schema, problems);
      for (std::string& problem : problems)
        out_.error(place_of_link(stored, true), std::move(problem));
      const std::string problem = binding ? call_problem(*binding) : "";
      if (!problem.empty())
        out_.error(entry.where, fmt::format("{} cannot be called for {}: {}", name,
                                            stored.record.name, problem));
      else if (binding)
        links.push_back({&stored, *binding});
    }
    // Definitions that could not be read have been reported, and one of them may be linked.
    if (!is_linked && target_.set.broken_definitions.empty())
      out_.warning(entry.where, fmt::format("no Definition is linked to {}", name),
                   fmt::format("a tag \"op:{}\" links one", name));
    return links;
  }

  void add_operator(const KernelLibrary& library, const OperatorEntry& entry) {
    const std::vector<Link> links = links_of(entry);
    for (const Kernel& kernel : entry.kernels) {
      if (!runs_on(kernel.backend, host_)) continue;
      const Subject subject{&library, &entry, &kernel, std::nullopt, false,
                            "",       {},     false,   false,        {}};
      if (kernel.is_default) add_default(subject, links);
      for (const KernelKey& key : kernel.keys) add_key(subject, key, links);
    }
    const bool has_keys = std::any_of(entry.kernels.begin(), entry.kernels.end(),
                                      [](const Kernel& kernel) { return !kernel.keys.empty(); });
    if (has_keys)
      add_default(
          {&library, &entry, &entry.kernels.front(), std::nullopt, true, "", {}, false, false, {}},
          links);
    if (!links.empty()) warn_of_unreached(entry);
  }

  // Adds a key with the Definitions that have its dtypes; without such, with others that get them.
  void add_key(Subject subject, const KernelKey& key, const std::vector<Link>& links) {
    subject.key = key;
    std::vector<std::pair<const Link*, Definition>> own, others;
    for (const Link& link : links) {
      if (auto changed = with_key(link.stored->record, link.binding, key)) {
        const bool is_own = changed->name == link.stored->record.name;
        (is_own ? own : others).emplace_back(&link, std::move(*changed));
      }
    }
    for (const auto& [link, definition] : own.empty() ? others : own)
      add_subject(subject, definition, *link);
  }

  // Returns each dtype once.
  std::vector<std::string> dtypes_asked() const {
    std::vector<std::string> once;
    for (const std::string& name : options_.dtypes)
      if (std::find(once.begin(), once.end(), name) == once.end()) once.push_back(name);
    return once;
  }

  // Adds a default with the Definition's dtypes, and with those of the command line.
  void add_default(Subject subject, const std::vector<Link>& links) {
    const DtypeConstraints* const constraints = find_constraints(subject);
    for (const Link& link : links) {
      if (constraints != nullptr) set_allowed(*constraints, link, subject);
      add_subject(subject, link.stored->record, link);
      add_constrained(subject, link);
      for (const std::string& name : dtypes_asked()) {
        const Definition changed =
            with_main_dtype(link.stored->record, *find_scalar_type(name)->dtype());
        if (changed.name != link.stored->record.name) add_subject(subject, changed, link);
      }
    }
  }

  // Returns the constraints for this default kernel. Warns where the file has none.
  const DtypeConstraints* find_constraints(const Subject& subject) {
    if (constraints_.empty() || subject.is_dispatch) return nullptr;
    const ops::Schema& schema = subject.entry->schema;
    const DtypeConstraints* const found =
        constraints_of(constraints_, schema, ops::installed_catalogue());
    if (found == nullptr)
      out_.warning(subject.entry->where,
                   fmt::format("{} has no constraints of {}", options_.constraints,
                               ops::full_name(schema.name)));
    return found;
  }

  void set_allowed(const DtypeConstraints& constraints, const Link& link, Subject& subject) {
    subject.allowed = allowed_types(constraints, link.stored->record, link.binding);
    if (subject.allowed.empty())
      out_.warning(constraints.where,
                   fmt::format("no alternative of {} is for what {} calls it with", constraints.op,
                               link.stored->record.name));
  }

  // Adds a kernel with each combination of dtypes that the constraints allow.
  void add_constrained(Subject subject, const Link& link) {
    subject.is_constrained = true;
    for (const Definition& one :
         allowed_definitions(subject.allowed, link.stored->record, most_combinations))
      add_subject(subject, one, link);
  }

  void add_subject(Subject subject, const Definition& definition, const Link& link) {
    reached_[subject.kernel].push_back(subject.key);
    subject.binding = link.binding;
    add_definition(subject, definition, link);
    const auto with_special = with_special_inputs(definition);
    if (subject.is_dispatch || subject.is_constrained || !with_special) return;
    subject.is_special = true;
    add_definition(subject, *with_special, link);
  }

  void add_definition(Subject subject, Definition definition, const Link& link) {
    const Stored<Definition>& original = *link.stored;
    if (definition.name != original.record.name) {
      std::string& name = derived_[{&original, definition.name}];
      const bool is_new = name.empty();
      if (is_new) name = free_name(definition.name);
      definition.name = name;
      if (is_new) derive(definition, original);
    }
    subject.definition = std::move(definition.name);
    found_.all.push_back(std::move(subject));
  }

  // Returns a name that neither the trace set nor another derived Definition has.
  std::string free_name(const std::string& wanted) const {
    std::string name = wanted;
    for (int i = 2; is_taken(name); ++i) name = fmt::format("{}_{}", wanted, i);
    return name;
  }

  bool is_taken(const std::string& name) const {
    const auto& made = found_.definitions;
    return target_.set.definition(name) != nullptr ||
           std::any_of(made.begin(), made.end(),
                       [&](const auto& one) { return one.record.name == name; });
  }

  // Adds a derived Definition and its workloads. Tensors of files do not fit other dtypes.
  void derive(const Definition& definition, const Stored<Definition>& original) {
    const bool is_alike = has_dtypes_of(definition, original.record);
    found_.definitions.push_back({definition, original.path, original.line});
    for (const Stored<Trace>& one : target_.workloads) {
      if (one.record.definition != original.record.name) continue;
      if (!is_alike && has_files(one.record.workload)) continue;
      found_.workloads.push_back(one);
      found_.workloads.back().record.definition = definition.name;
    }
  }

  void warn_of_unreached(const OperatorEntry& entry) {
    for (const Kernel& kernel : entry.kernels) {
      if (!runs_on(kernel.backend, host_)) {
        out_.warning(kernel.where, fmt::format("{} is not tested: this machine has no {}",
                                               kernel.name, text(kernel.backend)));
        continue;
      }
      const auto& reached = reached_[&kernel];
      std::vector<std::string> missed;
      for (const KernelKey& key : kernel.keys) {
        if (std::find(reached.begin(), reached.end(), key) == reached.end())
          missed.push_back(human_text(key));
      }
      if (!missed.empty())
        out_.warning(kernel.where,
                     fmt::format("{} is not tested for {}", kernel.name, join(missed, "; ")),
                     "a Definition with tensors of this rank is wanted");
    }
  }

  const Target& target_;
  const KernelSet& kernels_;
  const ContractOptions& options_;
  const std::vector<DtypeConstraints>& constraints_;
  Diagnostics& out_;
  Host host_;
  std::map<const Kernel*, std::vector<std::optional<KernelKey>>> reached_;
  // Names of derived Definitions, by the original and the name that the change gives.
  std::map<std::pair<const Stored<Definition>*, std::string>, std::string> derived_;
  ContractSubjects found_;
};

}  // namespace

ContractSubjects find_subjects(const Target& target, const KernelSet& kernels,
                               const ContractOptions& options,
                               const std::vector<DtypeConstraints>& constraints,
                               Diagnostics& diagnostics) {
  return Finder(target, kernels, options, constraints, diagnostics).find();
}

namespace {

bool is_for_any_type(const std::optional<KernelKey>& key) {
  return !key || std::all_of(key->begin(), key->end(),
                             [](const TensorMeta& meta) { return !meta.scalar_type; });
}

bool is_for_any_order(const std::optional<KernelKey>& key) {
  return !key || std::all_of(key->begin(), key->end(),
                             [](const TensorMeta& meta) { return !meta.dim_order; });
}

}  // namespace

bool concerns(const ContractCheck& check, const Subject& subject) {
  using enum CheckedKernels;
  if (subject.is_constrained || check.kernels == constrained)
    return subject.is_constrained && check.kernels == constrained;
  if ((check.tensors == CheckedTensors::special) != subject.is_special) return false;
  if (subject.is_dispatch || check.kernels == dispatching)
    return subject.is_dispatch && check.kernels == dispatching;
  if (check.kernels == any_type) return is_for_any_type(subject.key);
  if (check.kernels == any_sizes && !subject.kernel->conditions.empty()) return false;
  return check.kernels == all || is_for_any_order(subject.key);
}

bool is_turned(const std::optional<KernelKey>& key) {
  return key && std::any_of(key->begin(), key->end(), [](const TensorMeta& meta) {
           return meta.dim_order && !std::is_sorted(meta.dim_order->begin(), meta.dim_order->end());
         });
}

bool is_served(const OperatorEntry& entry, KernelKey key, bool channels_last) {
  for (TensorMeta& meta : key) {
    if (channels_last && meta.dim_order && meta.dim_order->size() == 4)
      meta.dim_order = {0, 2, 3, 1};
  }
  const std::size_t outputs = entry.schema.out.size();
  return std::any_of(entry.kernels.begin(), entry.kernels.end(), [&](const Kernel& kernel) {
    return kernel.is_default ||
           std::any_of(kernel.keys.begin(), kernel.keys.end(),
                       [&](const KernelKey& wanted) { return matches(wanted, key, outputs); });
  });
}

bool has_four_axes(const Definition& definition) {
  const auto has = [](const auto& tensor) {
    return tensor.second.shape && tensor.second.shape->size() == 4;
  };
  return std::any_of(definition.inputs.begin(), definition.inputs.end(), has) ||
         std::any_of(definition.outputs.begin(), definition.outputs.end(), has);
}

}  // namespace kbench
