#include "cli/kernel_contract.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/contract_subject.hpp"
#include "cli/kernel_solutions.hpp"
#include "cli/type_table.hpp"
#include "codegen/operators.hpp"
#include "registry/allowed_types.hpp"
#include "registry/derived_definition.hpp"
#include "registry/dtype_constraints.hpp"
#include "registry/lookup.hpp"
#include "registry/scalar_type.hpp"

namespace kbench {
namespace {

using enum CheckedKernels;
using enum CheckedTensors;

constexpr ContractCheck table[] = {
    {"C1 C2 C4 C5 C9", "values", "the right values, in the output that it is given", "PlainCall",
     all, any, CheckedWorkloads::all},
    {"C3", "types", "other element types are refused, or taken as what they are", "TypeCall",
     any_type},
    {"C3", "allowed", "the right values for each combination of dtypes that is allowed",
     "PlainCall", constrained},
    {"C6", "empty", "axes without elements", "EmptyCall"},
    {"C6", "special", "infinities and NaN", "PlainCall", all, special},
    {"C6", "broadcast", "one element in the place of an axis", "BroadcastCall"},
    {"C6", "rank", "fewer dimensions, and none", "RankCall", any_sizes},
    {"C7", "order_reversed", "dim orders turned around", "ReversedCall", any_order, matrices},
    {"C7", "order_channels_last", "four dimensions with the channels last", "ChannelsLastCall",
     any_order, images},
    {"C7", "order_mixed", "tensors in unlike dim orders", "MixedCall", any_order, matrices},
    {"C8", "output", "outputs with more room, too little, and of wrong sizes", "OutputCall"},
    {"C9", "shared", "tensors in one memory", "SharedCall"},
    {"C10", "repeat", "the same result again, and beside other threads", "RepeatCall", all, any,
     CheckedWorkloads::larger},
    {"C11", "errors", "inputs of wrong sizes", "ErrorCall"},
    {"C12", "dispatch", "the kernel for its tensors", "PlainCall", dispatching, any,
     CheckedWorkloads::all},
    {"C12", "dispatch_reversed", "the default for other dim orders", "ReversedCall", dispatching,
     matrices},
    {"C12", "dispatch_channels_last", "the kernel for channels last", "ChannelsLastCall",
     dispatching, images},
    {"C12", "dispatch_mixed", "the default for mixed dim orders", "MixedCall", dispatching,
     matrices},
};

constexpr std::size_t most_combinations = 500;  // of a Definition, whose values are judged

bool contains(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool is_chosen(const ContractCheck& check, const std::vector<std::string>& only) {
  const std::vector<std::string_view> ids = split(check.ids, ' ');
  return only.empty() || std::any_of(ids.begin(), ids.end(),
                                     [&](std::string_view id) { return contains(only, id); });
}

bool has_dtypes_of(const Definition& a, const Definition& b) {
  return std::equal(
      a.inputs.begin(), a.inputs.end(), b.inputs.begin(), b.inputs.end(),
      [](const auto& one, const auto& other) { return one.second.dtype == other.second.dtype; });
}

bool has_files(const Workload& workload) {
  return std::any_of(workload.inputs.begin(), workload.inputs.end(), [](const auto& input) {
    return std::holds_alternative<SafetensorsInput>(input.second);
  });
}

class Planner {
 public:
  Planner(Target& target, const KernelSet& kernels, const ContractOptions& options,
          Diagnostics& out)
      : target_(target),
        kernels_(kernels),
        options_(options),
        out_(out),
        host_(find_host()),
        chooser_(target.workloads) {}

  KernelRun plan() {
    if (!check_names()) return {};
    read_constraints();
    for (const KernelLibrary& library : kernels_.libraries) {
      for (const OperatorEntry& entry : library.operators) {
        const std::string name = ops::full_name(entry.schema.name);
        if (options_.ops.empty() || contains(options_.ops, name)) add_operator(library, entry);
      }
    }
    for (Stored<Definition>& one : derived_) target_.set.definitions.push_back(std::move(one));
    for (Stored<Trace>& one : workloads_) target_.workloads.push_back(std::move(one));
    make_calls();
    for (Stored<Trace>& one : chooser_.made()) target_.workloads.push_back(std::move(one));
    return std::move(run_);
  }

 private:
  bool check_names() {
    bool good = true;
    const auto check = [&](const std::string& name, const std::vector<std::string>& known,
                           const char* problem, const std::string& hint) {
      if (contains(known, name)) return;
      out_.error({name, 0, 0, "", ""}, problem, hint);
      good = false;
    };
    const std::vector<std::string> operators = operator_names(kernels_.libraries);
    for (const std::string& op : options_.ops)
      check(op, operators, "no library has this operator", did_you_mean(op, operators));
    std::vector<std::string> types;
    for (const ScalarTypeInfo& type : scalar_types()) {
      if (type.dtype) types.emplace_back(type.name);
    }
    for (const std::string& name : options_.dtypes)
      check(name, types, "no Definition has tensors of this dtype",
            "those that have: " + join(types, ", "));
    return good;
  }

  void read_constraints() {
    const std::string& file = options_.constraints;
    if (file.empty()) return;
    if (const auto text = read_file_if_there(file))
      constraints_ = read_dtype_constraints({file, *text}, ops::installed_catalogue(), out_);
    else
      out_.error({file, 0, 0, "", ""}, "no such file");
  }

  // A Definition that is linked to the operator.
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
        out_.error({stored.path, 0, 0, "", ""}, std::move(problem));
      if (binding) links.push_back({&stored, *binding});
    }
    if (!is_linked)
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

  // By the Definitions that have its dtypes; where there are none, by others with these dtypes.
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

  // With the Definition's dtypes, and with those of the command line.
  void add_default(Subject subject, const std::vector<Link>& links) {
    const DtypeConstraints* const constraints = find_constraints(subject);
    for (const Link& link : links) {
      if (constraints != nullptr) set_allowed(*constraints, link, subject);
      add_subject(subject, link.stored->record, link);
      add_constrained(subject, link);
      for (const std::string& name : options_.dtypes)
        add_subject(subject, with_main_dtype(link.stored->record, *find_scalar_type(name)->dtype),
                    link);
    }
  }

  // Those for this default kernel. That the file has none is warned of.
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

  // With each combination of dtypes that the constraints allow.
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

  void add_definition(Subject subject, const Definition& definition, const Link& link) {
    subject.definition = definition.name;
    const bool is_derived = std::any_of(derived_.begin(), derived_.end(), [&](const auto& one) {
      return one.record.name == definition.name;
    });
    if (!is_derived && target_.set.definition(definition.name) == nullptr)
      derive(definition, *link.stored);
    subjects_.push_back(std::move(subject));
  }

  // Where a dtype was replaced, tensors of files do not fit any more.
  void derive(const Definition& definition, const Stored<Definition>& original) {
    const bool is_alike = has_dtypes_of(definition, original.record);
    derived_.push_back({definition, original.path, original.line});
    for (const Stored<Trace>& one : target_.workloads) {
      if (one.record.definition != original.record.name) continue;
      if (!is_alike && has_files(one.record.workload)) continue;
      workloads_.push_back(one);
      workloads_.back().record.definition = definition.name;
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

  void make_calls() {
    for (const Subject& subject : subjects_) {
      for (const ContractCheck& check : table) {
        if (is_chosen(check, options_.only) && concerns(check, subject)) add_call(subject, check);
      }
    }
    const auto solutions = kernel_solutions(calls_, {"kbench_contract.h", true}, out_);
    target_.set.solutions.clear();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      if (!solutions[i]) continue;
      target_.set.solutions.push_back(*solutions[i]);
      for (const Workload& workload : chosen_[i])
        run_.choices[{calls_[i].definition->name, workload.uuid, solutions[i]->record.name}] =
            records_[i];
    }
  }

  void add_call(const Subject& subject, const ContractCheck& check) {
    const Definition& definition = *target_.set.definition(subject.definition);
    const std::vector<std::string> conditions =
        subject.is_dispatch ? std::vector<std::string>{} : subject.kernel->conditions;
    std::vector<Workload> chosen = chooser_.choose(definition, conditions, check.workloads);
    if (!can_tell(check, subject, definition, chosen)) return;
    std::string variant(check.name);
    if (subject.key && subject.kernel->keys.size() > 1)
      variant += fmt::format(
          "_{}", std::find(subject.kernel->keys.begin(), subject.kernel->keys.end(), *subject.key) -
                     subject.kernel->keys.begin());
    std::string call_class = class_of(subject, check);
    if (is_turned(subject.key)) call_class = "InKeyOrder<kbench::kernels::" + call_class + ">";
    calls_.push_back(
        {subject.library, subject.kernel, &definition, subject.binding, variant, call_class,
         subject.is_dispatch ? dispatch_of(*subject.library, *subject.entry) : "", subject.key});
    records_.push_back(record_of(subject, check));
    chosen_.push_back(std::move(chosen));
  }

  // A check that passes whatever a kernel does is none.
  bool can_tell(const ContractCheck& check, const Subject& subject, const Definition& definition,
                const std::vector<Workload>& chosen) {
    const std::string name =
        subject.is_dispatch ? ops::full_name(subject.entry->schema.name) : subject.kernel->name;
    if (chosen.empty()) {
      out_.warning(
          subject.kernel->where,
          fmt::format("{} is not tested with {}: no workload serves", name, definition.name),
          "a workload in which its conditions hold is wanted");
      return false;
    }
    if (check.tensors == images && !has_four_axes(definition)) return false;
    const auto key = key_of(subject.binding, definition);
    if (subject.is_dispatch && key && !is_served(*subject.entry, *key, check.tensors == images))
      return false;  // its error is right
    const bool wants_order = check.tensors == matrices || check.tensors == images;
    const AxisLengths lengths = axis_lengths(definition, chosen.front());
    if (!wants_order || most_long_axes(definition, lengths) > 1) return true;
    out_.warning(subject.kernel->where,
                 fmt::format("dim orders of {} are not tested with {}: no tensor has two axes "
                             "longer than 1",
                             name, definition.name),
                 "a workload with longer axes is wanted");
    return false;
  }

  static std::string class_of(const Subject& subject, const ContractCheck& check) {
    const bool is_table = check.name == "types" && !subject.allowed.empty();
    return is_table ? type_table_class(subject.allowed) : std::string(check.call_class);
  }

  static std::string dispatch_of(const KernelLibrary& library, const OperatorEntry& entry) {
    Diagnostics said;
    const std::vector<KernelLibrary> libraries = {library};
    for (const GeneratedOperator& one : generated_operators(all_kernels(libraries), said)) {
      if (one.name == ops::full_name(entry.schema.name)) return dispatch_symbol(one);
    }
    return "";
  }

  static KernelRecord record_of(const Subject& subject, const ContractCheck& check) {
    KernelRecord record;
    record.op = ops::full_name(subject.entry->schema.name);
    record.symbol = subject.kernel->symbol;
    if (subject.key) record.key = key_text(*subject.key);
    record.match = subject.key ? "exact" : "fallback";
    record.file = subject.library->path;
    record.line = subject.is_dispatch ? subject.entry->where.line : subject.kernel->where.line;
    record.contract = fmt::format("{} {}", check.ids, check.name);
    return record;
  }

  Target& target_;
  const KernelSet& kernels_;
  const ContractOptions& options_;
  Diagnostics& out_;
  Host host_;
  std::vector<DtypeConstraints> constraints_;
  std::vector<Subject> subjects_;
  std::vector<Stored<Definition>> derived_;
  std::vector<Stored<Trace>> workloads_;
  std::map<const Kernel*, std::vector<std::optional<KernelKey>>> reached_;
  std::vector<KernelCall> calls_;
  std::vector<KernelRecord> records_;          // of the calls
  std::vector<std::vector<Workload>> chosen_;  // likewise
  ContractWorkloads chooser_;
  KernelRun run_;
};

}  // namespace

std::span<const ContractCheck> contract_checks() { return table; }

KernelRun plan_contract(Target& target, const KernelSet& kernels, const ContractOptions& options,
                        Diagnostics& diagnostics) {
  return Planner(target, kernels, options, diagnostics).plan();
}

}  // namespace kbench
