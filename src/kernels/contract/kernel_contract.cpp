#include "kernels/contract/kernel_contract.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/text.hpp"
#include "kernels/codegen/operators.hpp"
#include "kernels/contract/contract_subjects.hpp"
#include "kernels/contract/kernel_solutions.hpp"
#include "kernels/registry/kernel_key.hpp"

namespace kbench {

std::optional<std::vector<DtypeConstraints>> contract_constraints(const std::string& file,
                                                                  const KernelSet& kernels,
                                                                  Diagnostics& diagnostics) {
  if (file.empty()) return std::vector<DtypeConstraints>();
  const auto text = read_file_if_there(file);
  if (!text) {
    diagnostics.error({file}, "no such file");
    return std::nullopt;
  }
  const std::size_t before = diagnostics.errors();
  auto all = read_dtype_constraints({file, *text}, ops::installed_catalogue(), diagnostics);
  std::vector<const ops::Schema*> schemas;
  for (const KernelLibrary& library : kernels.libraries)
    for (const OperatorEntry& entry : library.operators) schemas.push_back(&entry.schema);
  if (diagnostics.errors() == before) check_constrained_names(all, schemas, diagnostics);
  return diagnostics.errors() == before ? std::optional(std::move(all)) : std::nullopt;
}

std::string type_table_class(const std::vector<AllowedTypes>& allowed) {
  std::string text = fmt::format("TypeTableCall<{}", allowed.front().size());
  for (const AllowedTypes& row : allowed) {
    for (const AllowedTensor& one : row)
      text += fmt::format(", {}, {}, {:#x}ull", one.tensor, one.alias, one.types);
  }
  return text + ">";
}

namespace {

using enum CheckedKernels;
using enum CheckedTensors;

constexpr ContractCheck table[] = {
    {"C1 C2 C4 C5 C9", "values", "the right values, in the output that it is given", "PlainCall",
     all, any, CheckedWorkloads::all},
    {"C5", "lengths", "axes of odd lengths", "PlainCall", all, any, CheckedWorkloads::odd},
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

bool contains(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool is_chosen(const ContractCheck& check, const std::vector<std::string>& only) {
  const std::vector<std::string_view> ids = split(check.ids, ' ');
  return only.empty() || std::any_of(ids.begin(), ids.end(),
                                     [&](std::string_view id) { return contains(only, id); });
}

class Planner {
 public:
  Planner(Target& target, const KernelSet& kernels, const ContractOptions& options,
          Diagnostics& out)
      : target_(target),
        kernels_(kernels),
        options_(options),
        out_(out),
        chooser_(target.workloads) {}

  KernelRun plan() {
    const auto constraints = contract_constraints(options_.constraints, kernels_, out_);
    if (!check_names() || !constraints) return {};
    subjects_ = find_subjects(target_, kernels_, options_, *constraints, out_);
    for (Stored<Definition>& one : subjects_.definitions)
      target_.set.definitions.push_back(std::move(one));
    for (Stored<Trace>& one : subjects_.workloads) target_.workloads.push_back(std::move(one));
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
      out_.error({name}, problem, hint);
      good = false;
    };
    const std::vector<std::string> operators = operator_names(kernels_.libraries);
    for (const std::string& op : options_.ops)
      check(op, operators, "no library has this operator", operator_hint(op, operators));
    std::vector<std::string> types;
    for (const ScalarTypeInfo& type : scalar_types())
      if (type.dtype()) types.emplace_back(type.name);
    for (const std::string& name : options_.dtypes)
      check(name, types, "no Definition has tensors of this dtype",
            "those that have: " + join(types, ", "));
    return good;
  }

  void make_calls() {
    for (const Subject& subject : subjects_.all) {
      for (const ContractCheck& check : table)
        if (is_chosen(check, options_.only) && concerns(check, subject)) add_call(subject, check);
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
    if (chosen.empty() && check.workloads == CheckedWorkloads::odd) return;  // no odd one is made
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

  // Checks that pass whatever a kernel does are left out.
  bool can_tell(const ContractCheck& check, const Subject& subject, const Definition& definition,
                const std::vector<Workload>& chosen) {
    const std::string name =
        subject.is_dispatch ? ops::full_name(subject.entry->schema.name) : subject.kernel->name;
    if (chosen.empty()) {
      out_.warning(
          subject.kernel->where,
          fmt::format(
              "{} is not tested with {}: none of its workloads meets the conditions of the kernel",
              name, definition.name),
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
    for (const GeneratedOperator& one : generated_operators(all_kernels(libraries), said))
      if (one.name == ops::full_name(entry.schema.name)) return dispatch_symbol(one);
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
  ContractSubjects subjects_;
  std::vector<KernelCall> calls_;
  std::vector<KernelRecord> records_;          // record of each call
  std::vector<std::vector<Workload>> chosen_;  // workloads of each call
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
