#include "cli/derive/shard_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "exec/cores.hpp"
#include "kernels/registry/methods.hpp"
#include "kernels/registry/sidecar.hpp"
#include "problem/bind.hpp"
#include "problem/rank_protocol.hpp"

namespace kbench {
namespace {

Where option(const std::string& name) { return {name}; }

// A Solution: its functions, and how its sidecar says that it is cut.
struct Subject {
  const Solution* solution = nullptr;
  Methods methods;
  std::vector<DeclaredSharding> shardings;
  GradientSpec spec;
};

class Planner {
 public:
  Planner(const ShardCommand& command, const TraceSet& set, Diagnostics& out)
      : command_(command), set_(set), out_(out) {
    if (command.mesh.empty())
      tensors_ = read_tensors(command.tensors, out);
    else
      mesh_ = read_mesh(command, out);
  }

  ShardPlans plan(std::vector<Job>& jobs) {
    ShardPlans plans;
    if (out_.errors() > 0) return jobs.clear(), plans;
    for (Job& job : jobs) {
      std::erase_if(job.solutions, [&](const Solution* solution) {
        auto made = command_.mesh.empty() ? plan_pair(job, *solution) : plan_mesh(job, *solution);
        if (!made) return true;
        plans.emplace(std::pair{job.workload->record.workload.uuid, solution->name},
                      *std::move(made));
        return false;
      });
    }
    std::erase_if(jobs, [](const Job& job) { return job.solutions.empty(); });
    return plans;
  }

 private:
  const Subject& subject_of(const Solution& solution) {
    const auto [found, is_new] = subjects_.try_emplace(&solution);
    if (!is_new) return found->second;
    Subject& subject = found->second;
    subject.solution = &solution;
    for (const Stored<Solution>& stored : set_.solutions) {
      if (&stored.record != &solution) continue;
      const Sidecar sidecar = sidecar_of(stored, out_);
      subject.methods = methods_of(solution, sidecar.methods);
      subject.shardings = sidecar.shardings;
      subject.spec = sidecar.gradients;
    }
    return subject;
  }

  // Declared sharding for the axes that are asked for, else the first.
  const DeclaredSharding* declared_for(const Subject& subject) const {
    if (command_.axes.empty())
      return subject.shardings.empty() ? nullptr : &subject.shardings.front();
    for (const DeclaredSharding& one : subject.shardings) {
      const bool is_wanted = one.axes == command_.axes &&
                             (command_.combine.empty() || one.combine == command_.combine);
      if (is_wanted) return &one;
    }
    return nullptr;
  }

  // Returns nullptr where it cannot be run as ranks, which is reported.
  const Subject* usable_subject(const Solution& solution) {
    const std::size_t before = out_.errors();
    const Subject& subject = subject_of(solution);
    if (solution.spec.language == Language::cuda && !command_.run.emulate)
      refuse(solution, "it runs on a GPU: ranks are processes of the CPU, with --emulate too");
    return out_.errors() == before ? &subject : nullptr;
  }

  std::optional<PairPlan> plan_pair(const Job& job, const Solution& solution) {
    const Subject* const usable = usable_subject(solution);
    if (usable == nullptr) return std::nullopt;
    const Subject& subject = *usable;
    const DeclaredSharding* const declared = declared_for(subject);
    const auto request = request_of(solution, declared);
    if (!request) return std::nullopt;
    const auto whole = bound(job);
    if (!whole) return std::nullopt;
    ShardPlan plan;
    const Where said =
        command_.axes.empty() && declared != nullptr ? declared->where : option("--axis");
    const auto layout = shard_layout(*job.definition, *whole, *request, said, out_);
    if (!layout) return std::nullopt;
    plan.layout = *layout;
    plan.timed = !command_.untimed && !command_.run.emulate;
    if (!choose_functions(subject, plan) || !choose_combine(subject, declared, *whole, plan))
      return std::nullopt;
    const bool knows_ranks = plan.function != plan.local_function;
    PairPlan pair{std::move(plan), subject.spec, std::nullopt, knows_ranks};
    if (command_.direction == "bwd" && !choose_gradient(subject, *job.definition, *whole, pair))
      return std::nullopt;
    return pair;
  }

  std::optional<PairPlan> plan_mesh(const Job& job, const Solution& solution) {
    const Subject* const subject = usable_subject(solution);
    if (subject == nullptr) return std::nullopt;
    if (command_.direction == "bwd")
      return refuse(solution, "gradients are judged in a line of ranks alone, not in a mesh");
    auto problem = bound(job);
    if (!problem) return std::nullopt;
    ShardPlan plan;
    plan.timed = !command_.untimed && !command_.run.emulate;
    for (const MeshAxis& axis : mesh_) {
      const ShardRequest request{axis.axes, axis.ranks, axis.tensors, option("--tensor")};
      const auto layout = shard_layout(*job.definition, *problem, request, option("--axis"), out_);
      if (!layout) return std::nullopt;
      const std::string name = !axis.combine.empty()        ? axis.combine
                               : layout->cuts_all_outputs() ? "concat"
                                                            : command_.combine;
      plan.combine = combine_of(name, *layout, *problem);
      if (plan.combine == nullptr) return std::nullopt;
      plan.outer.push_back({axis.name, *layout, plan.combine});
      problem = rank_problem(*problem, *layout);
    }
    plan.name = plan.outer.back().name;
    plan.layout = plan.outer.back().layout;
    plan.outer.pop_back();
    plan.function = plan.local_function =
        find_method(subject->methods, "run", query_for(solution))->function;
    plan.transport = find_transport(command_.transport.empty() ? "turn" : command_.transport);
    return PairPlan{std::move(plan), subject->spec, std::nullopt, false};
  }

  // Returns nullptr where there is none that fits, which is reported.
  const Combine* combine_of(const std::string& name, const ShardLayout& layout,
                            const Problem& problem) {
    const Combine* const combine = find_combine(name);
    const std::string why =
        combine == nullptr ? fmt::format(
                                 "not every output carries {}: nothing says how those of "
                                 "the ranks become one",
                                 join(layout.axes, " or "))
        : combine->is_by_entry ? "a function of the solution combines a line of ranks alone"
                               : combine->unfit(problem, layout);
    if (why.empty()) return combine;
    out_.error(option("--mesh"), why, "ways are " + join(combine_names(), ", ") + ": tp=2:sum");
    return nullptr;
  }

  std::nullopt_t refuse(const Solution& solution, const std::string& why) {
    out_.error(option(solution.name), why);
    return std::nullopt;
  }

  // Binds a workload; returns nothing where it is wrong, which is reported.
  std::optional<Problem> bound(const Job& job) {
    return bind(*job.definition, job.workload->record.workload,
                Place(job.workload->path, job.workload->line), out_);
  }

  std::optional<ShardRequest> request_of(const Solution& solution,
                                         const DeclaredSharding* declared) {
    ShardRequest request;
    request.axes = command_.axes;
    request.tensors = tensors_;
    if (!tensors_.empty()) request.tensors_said = option("--tensor");
    if (declared != nullptr) {
      request.axes = declared->axes;
      if (request.tensors.empty()) request.tensors = declared->tensors;
    }
    if (request.axes.empty()) {
      out_.error(option("--axis"),
                 fmt::format("nothing says which axis of {} is cut", solution.name),
                 "name one, declare `shard: [{axis: M, combine: concat}]` in kbench.yaml beside "
                 "the solution, or look with --discover");
      return std::nullopt;
    }
    request.ranks = command_.ranks > 0 ? command_.ranks : default_ranks(declared);
    if (declared != nullptr && declared->ranks && *declared->ranks != request.ranks) {
      out_.error(declared->where,
                 fmt::format("this way to shard is for {} ranks, not for {}", *declared->ranks,
                             request.ranks),
                 "leave -n out, or name another --axis or --combine");
      return std::nullopt;
    }
    return request;
  }

  bool choose_gradient(const Subject& subject, const Definition& definition, const Problem& whole,
                       PairPlan& pair) {
    if (!kbench::fits(pair.spec, definition, out_)) return false;
    const MethodQuery query = query_for(*subject.solution, "sharded");
    const auto found = find_gradient(subject.methods, query);
    if (!found) {
      refuse(*subject.solution, why_no_gradient(subject.methods, query));
      return false;
    }
    const std::string why = unfit_backward(pair.shard, whole);
    if (!why.empty() || command_.run.options.rule != "kbench") {
      out_.error(option("--direction"),
                 why.empty() ? "gradients are judged by the rule kbench" : why);
      return false;
    }
    pair.gradient = GradientFunctions{found->first, found->second};
    pair.shard.function = found->second.function;
    pair.knows_ranks = found->second.level == "context" || found->second.level == "composite";
    if (command_.transport.empty())
      pair.shard.transport = find_transport(pair.knows_ranks ? "processes" : "turn");
    return true;
  }

  // Collectives need all ranks at once, and only a function that knows of ranks calls any.
  bool choose_functions(const Subject& subject, ShardPlan& plan) {
    const Solution& solution = *subject.solution;
    const MethodQuery ranks = query_for(solution, "sharded");
    const auto run = find_method(subject.methods, "run", query_for(solution));
    auto sharded = find_method(subject.methods, "run", ranks);
    if (runs_in_python(solution) && std::exchange(sharded, run)->function != run->function)
      out_.warning({solution.name}, "its functions for ranks are Python's, and are not called");
    plan.local_function = run->function;
    plan.function = sharded->function;
    if (const auto combine = find_method(subject.methods, "combine", ranks))
      plan.combine_function = combine->function;
    const bool is_own = sharded->function != run->function;
    const std::string usual = is_own ? "processes" : "turn";
    plan.transport = find_transport(command_.transport.empty() ? usual : command_.transport);
    return true;
  }

  bool choose_combine(const Subject& subject, const DeclaredSharding* declared,
                      const Problem& whole, ShardPlan& plan) {
    const bool is_said = !command_.combine.empty();
    std::string name = is_said ? command_.combine : declared != nullptr ? declared->combine : "";
    if (name.empty() && plan.layout.cuts_all_outputs()) name = "concat";
    const Where said =
        is_said || declared == nullptr ? option("--combine") : declared->combine_where;
    if (name.empty()) {
      out_.error(said,
                 fmt::format("not every output carries {}: nothing says how those of the ranks "
                             "become one",
                             join(plan.layout.axes, " or ")),
                 "ways are " + join(combine_names(), ", "));
      return false;
    }
    plan.combine = find_combine(name);  // options and sidecars have no other names
    return fits(subject, said, whole, plan);
  }

  bool fits(const Subject& subject, const Where& said, const Problem& whole,
            const ShardPlan& plan) {
    const std::string why = plan.combine->unfit(whole, plan.layout);
    if (!why.empty()) {
      out_.error(said, fmt::format("{} does not fit: {}", plan.combine->name, why));
      return false;
    }
    const bool lacks_entry = plan.combine->is_by_entry && plan.combine_function.empty();
    if (lacks_entry)
      out_.error(said, fmt::format("{} has no function \"combine\"", subject.solution->name),
                 "export one, or name it in the sidecar: entry: {combine: merge}");
    return !lacks_entry;
  }

  const ShardCommand& command_;
  const TraceSet& set_;
  Diagnostics& out_;
  OrderedMap<std::string> tensors_;
  std::vector<MeshAxis> mesh_;
  std::map<const Solution*, Subject> subjects_;
};

}  // namespace

std::int64_t default_ranks(const DeclaredSharding* declared) {
  if (declared != nullptr && declared->ranks) return *declared->ranks;
  return std::min<std::int64_t>(static_cast<std::int64_t>(usable_cores().size()),
                                worker::max_ranks);
}

OrderedMap<std::string> read_tensors(const std::vector<std::string>& words, Diagnostics& out) {
  OrderedMap<std::string> tensors;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name(trim(std::string_view(word).substr(0, equals)));
    const std::string axis(
        equals == std::string::npos ? "" : trim(std::string_view(word).substr(equals + 1)));
    if (name.empty() || axis.empty())
      out.error(option("--tensor"),
                fmt::format("\"{}\" is no tensor and the axis it is cut by", word),
                "as in C=M or C=replicated");
    else
      tensors[name] = axis;
  }
  return tensors;
}

ShardPlans plan_shards(const ShardCommand& command, const TraceSet& set, std::vector<Job>& jobs,
                       Diagnostics& reports) {
  return Planner(command, set, reports).plan(jobs);
}

}  // namespace kbench
