// kbench kernels resolve: names the kernel that serves a call.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/judging/configuring.hpp"
#include "cli/judging/run_options.hpp"
#include "cli/kernels/call_configuration.hpp"
#include "cli/kernels/kernels.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "kernels/contract/kernel_set.hpp"
#include "kernels/registry/arg_meta.hpp"
#include "kernels/registry/lookup.hpp"
#include "kernels/registry/methods.hpp"
#include "kernels/registry/sidecar.hpp"
#include "schema/place.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct KernelsResolveOptions {
  KernelOptions kernels;
  std::string op;
  std::optional<std::string> meta;
  std::string definition;
  std::vector<std::string> axes;
  std::vector<std::string> traces;
  std::string platform;
  std::string backend;
  std::string context;
  bool explain = false;
  std::string format = "text";
  ConfiguringOptions configuring;
};

// A call and what serves it.
struct ResolveAnswer {
  Query query;
  const Stored<Trace>* line = nullptr;  // makes the call; null for none
  Resolution resolution;
  std::optional<CallConfiguration> configuration = {};  // absent where what serves it declares none
};

std::string uuid_of(const ResolveAnswer& answer) {
  return answer.line == nullptr ? "" : answer.line->record.workload.uuid;
}

void add_wrong_option(Diagnostics& out, const std::string& what, std::string message,
                      std::string hint = "") {
  out.error({what}, std::move(message), std::move(hint));
}

std::optional<Query> query_of_op(const KernelsResolveOptions& options, const KernelSet& kernels,
                                 Diagnostics& out) {
  Query query;
  query.operation = operation_named(kernels, options.op);
  if (!options.meta) return query;
  const auto schema = find_schema(kernels, options.op);
  if (!schema) {
    query.operation = ops::full_name(options.op);  // a miss, which says what there is
    return query;
  }
  std::string why;
  query.key = parse_meta(*options.meta, *schema, why);
  if (query.key) return query;
  add_wrong_option(out, "--meta", why);
  return std::nullopt;
}

std::optional<Query> query_of_definition(const KernelsResolveOptions& options,
                                         const KernelSet& kernels, Diagnostics& out) {
  if (!kernels.set) {
    add_wrong_option(out, "--definition", "there is no trace set that has it",
                     "name one among the libraries, or run in one");
    return std::nullopt;
  }
  const Definition* const definition = kernels.definition(options.definition);
  if (definition == nullptr) {
    add_wrong_option(out, "--definition",
                     fmt::format("there is no definition {}", options.definition),
                     definition_hint(options.definition, *kernels.set));
    return std::nullopt;
  }
  return query_for(*definition, *kernels.set, kernels, out);
}

// Refuses options that the calls themselves answer.
void check_options(const KernelsResolveOptions& options, Diagnostics& out) {
  const bool is_of_traces = !options.traces.empty();
  if (options.meta && options.op.empty())
    add_wrong_option(
        out, "--meta",
        fmt::format("means nothing with {}", is_of_traces ? "--trace" : "--definition"),
        "the tensors of these calls are known");
  if (!options.axes.empty() && is_of_traces)
    add_wrong_option(out, "--axes", "means nothing with --trace", "each workload has its sizes");
}

std::vector<ResolveAnswer> answers_of_traces(const std::vector<Target>& targets,
                                             const KernelSet& kernels, const Query& asked,
                                             Diagnostics& out) {
  std::vector<ResolveAnswer> answers;
  for (const Target& target : targets) {
    std::map<const Definition*, std::optional<Query>> queries;
    for (const auto& [definition, line] : definitions_of(target.set, target.workloads, out))
      queries[definition] = query_for(*definition, target.set, kernels, out);
    for (const Stored<Trace>& line : target.workloads) {
      const auto found = queries.find(target.set.definition(line.record.definition));
      if (found == queries.end() || !found->second) continue;
      auto query = found->second;
      for (const auto& [axis, size] : line.record.workload.axes) query->axes[axis] = size;
      query->facts = with_facts(std::move(query->facts), scalar_facts(line.record.workload));
      query->platform = asked.platform;
      query->backend = asked.backend;
      query->host = asked.host;
      answers.push_back({*query, &line, kernels.registry.resolve(*query)});
    }
  }
  return answers;
}

Json place_json(const Where& where) { return {{"file", where.file}, {"line", where.line}}; }

// Method, and the word for what it does.
struct NamedMethod {
  std::string_view what;  // "run"
  FoundMethod method;
};

// Returns the methods of a Solution; a kernel of a library is one function.
Methods methods_of(const Implementation& chosen, const KernelSet& kernels) {
  Diagnostics said;  // reported when the sidecar was first read
  if (chosen.competes && kernels.set) {
    for (const Stored<Solution>& one : kernels.set->solutions) {
      if (one.path == chosen.where.file && one.record.name == chosen.symbol)
        return methods_of(one.record, sidecar_of(one, said).methods);
    }
  }
  return {{"run", chosen.symbol}};
}

// Device on the machine that the query speaks of.
std::string device_of(const Implementation& chosen, const Query& query) {
  if (query.backend && !query.backend->is_any()) return query.backend->device;
  if (!chosen.backend.is_any()) return chosen.backend.device;
  return query.host.gpus.empty() ? "cpu" : "gpu";
}

std::vector<NamedMethod> methods_found(const ResolveAnswer& answer, const KernelSet& kernels,
                                       const std::string& context) {
  const Implementation& chosen = *answer.resolution.chosen;
  const Methods methods = methods_of(chosen, kernels);
  const MethodQuery query{context, device_of(chosen, answer.query)};
  std::vector<NamedMethod> found;
  for (const std::string_view what : {"prepare", "run"}) {
    if (auto method = find_method(methods, what, query)) found.push_back({what, *method});
  }
  if (auto gradient = find_gradient(methods, query)) {
    found.push_back({"fwd_with_residuals", gradient->first});
    found.push_back({"vjp", gradient->second});
  }
  return found;
}

Json methods_json(const ResolveAnswer& answer, const KernelSet& kernels,
                  const std::string& context) {
  Json json = Json::object();
  for (const auto& [what, method] : methods_found(answer, kernels, context))
    json[std::string(what)] = {
        {"function", method.function}, {"as", method.name}, {"level", method.level}};
  return json;
}

std::string methods_text(const ResolveAnswer& answer, const KernelSet& kernels,
                         const std::string& context) {
  std::string out;
  for (const auto& [what, method] : methods_found(answer, kernels, context))
    out += fmt::format("  {}: {}, declared as {} ({})\n", what, method.function, method.name,
                       method.level);
  return out;
}

// A kernel of a library is one function, which is said already.
bool shows_methods(const ResolveAnswer& answer, const KernelsResolveOptions& options) {
  const Implementation* const chosen = answer.resolution.chosen;
  return chosen != nullptr && (!options.context.empty() || (options.explain && chosen->competes));
}

Json answer_json(const ResolveAnswer& answer, const KernelSet& kernels,
                 const KernelsResolveOptions& options) {
  Json json;
  const Implementation* const chosen = answer.resolution.chosen;
  if (chosen == nullptr) {
    const Miss miss = miss_of(kernels.registry, answer.query, answer.resolution);
    json = {{"requested", miss.requested},
            {"available", miss.available},
            {"difference", miss.difference}};
  } else {
    json = {{"op", chosen->operation},
            {"symbol", chosen->symbol},
            {"key", chosen->key ? Json(key_text(*chosen->key)) : Json()},
            {"match", answer.resolution.is_exact ? "exact" : "fallback"},
            {"platform", chosen->platform},
            {"backend", text(chosen->backend)},
            {"priority", chosen->priority}};
    json.update(place_json(chosen->where));
  }
  if (answer.line != nullptr) {
    json["definition"] = answer.query.operation;
    json["workload"] = uuid_of(answer);
  }
  if (shows_methods(answer, options))
    json["methods"] = methods_json(answer, kernels, options.context);
  if (answer.configuration)
    json["configuration"] = Json::parse(configuration_json(*answer.configuration, options.explain));
  if (!options.explain) return json;
  json["candidates"] = Json::array();
  for (const auto& [implementation, skipped] : answer.resolution.candidates) {
    Json one = {{"symbol", implementation->symbol},
                {"kernel", text(*implementation)},
                {"skipped", skipped.empty() ? Json() : Json(skipped)}};
    one.update(place_json(implementation->where));
    json["candidates"].push_back(std::move(one));
  }
  return json;
}

std::string explanation(const Resolution& resolution) {
  std::string out;
  for (const auto& [implementation, skipped] : resolution.candidates) {
    const std::string why = !skipped.empty()                      ? "skipped: " + skipped
                            : implementation == resolution.chosen ? "chosen"
                                                                  : "serves as well, comes later";
    out += fmt::format("  {}: {}\n", text(*implementation), why);
  }
  return out;
}

std::string answer_text(const ResolveAnswer& answer, const KernelSet& kernels,
                        const KernelsResolveOptions& options) {
  const Implementation* const chosen = answer.resolution.chosen;
  std::string out;
  if (chosen != nullptr) {
    const char* const match = answer.resolution.is_exact ? "exact" : "fallback";
    out = fmt::format("{}: {}, {}, {}\n", requested_text(answer.query), text(*chosen), match,
                      short_place(chosen->where));
  } else {
    const Miss miss = miss_of(kernels.registry, answer.query, answer.resolution);
    out = fmt::format("{}: no kernel\n  {}\n", miss.requested, miss.difference);
    if (!options.explain) {
      for (const std::string& one : miss.available) out += fmt::format("  there is {}\n", one);
    }
  }
  if (shows_methods(answer, options)) out += methods_text(answer, kernels, options.context);
  if (answer.configuration) out += configuration_lines(*answer.configuration, options.explain);
  return options.explain ? out + explanation(answer.resolution) : out;
}

void print_answers(const std::vector<ResolveAnswer>& answers, const KernelsResolveOptions& options,
                   const KernelSet& kernels) {
  if (options.format == "json") {
    Json list = Json::array();
    for (const ResolveAnswer& answer : answers)
      list.push_back(answer_json(answer, kernels, options));
    return print((options.traces.empty() ? list[0] : list).dump(2) + "\n");
  }
  for (const ResolveAnswer& answer : answers) print(answer_text(answer, kernels, options));
}

// The part of the query that is the same whatever the call.
Query asked_by(const KernelsResolveOptions& options, Diagnostics& out) {
  Query query;
  if (!options.platform.empty()) {
    query.platform = options.platform;
    if (find_platform(options.platform) == nullptr && lower(options.platform) != "auto")
      add_wrong_option(out, "--platform", fmt::format("there is no platform {}", options.platform),
                       "they are auto, " + join(platform_names(), ", "));
  }
  if (!options.backend.empty()) {
    query.backend = parse_backend(options.backend);
    if (!query.backend)
      add_wrong_option(out, "--backend", fmt::format("there is no backend {}", options.backend),
                       "they are " + backend_words());
  }
  read_axes(options.axes, query.axes, out);
  query.host = find_host();
  return query;
}

std::vector<ResolveAnswer> answers_of(const KernelsResolveOptions& options,
                                      const std::vector<Target>& targets, const KernelSet& kernels,
                                      Diagnostics& out) {
  check_options(options, out);
  const Query asked = asked_by(options, out);
  if (out.errors() > 0) return {};
  if (!options.traces.empty()) return answers_of_traces(targets, kernels, asked, out);
  auto query = options.op.empty() ? query_of_definition(options, kernels, out)
                                  : query_of_op(options, kernels, out);
  if (!query) return {};
  if (options.op.empty())
    check_axes(asked.axes, *kernels.definition(options.definition), out);
  else
    check_lengths(asked.axes, out);
  if (out.errors() > 0) return {};
  query->platform = asked.platform;
  query->backend = asked.backend;
  for (const auto& [axis, size] : asked.axes) query->axes[axis] = size;
  query->host = asked.host;
  return {{*query, nullptr, kernels.registry.resolve(*query)}};
}

// Adds the configuration that kbench run would choose here.
void add_configurations(const KernelsResolveOptions& options, const KernelSet& kernels,
                        std::vector<ResolveAnswer>& answers, Diagnostics& out) {
  ConfiguringPlan plan = configuring_plan(options.configuring, threads_for({}), true, out);
  plan.purpose.context = options.context;
  CallConfigurations configurations(kernels, std::move(plan));
  for (ResolveAnswer& answer : answers) {
    if (answer.resolution.chosen == nullptr) continue;
    const Workload* const workload =
        answer.line == nullptr ? nullptr : &answer.line->record.workload;
    answer.configuration =
        configurations.of(*answer.resolution.chosen, answer.query, workload, out);
  }
}

int resolve(const KernelsResolveOptions& options) {
  Diagnostics problems;
  KernelOptions which = options.kernels;
  which.needs_definitions = !options.definition.empty();
  which.leaves_out = true;
  const KernelSet kernels = load_kernels(which, problems);
  std::vector<Target> targets;
  if (!options.traces.empty())
    targets = load_targets(options.traces, options.kernels.root, {}, problems);
  std::vector<ResolveAnswer> answers = answers_of(options, targets, kernels, problems);
  add_configurations(options, kernels, answers, problems);
  if (problems.errors() == 0 && answers.empty())
    tell("nothing to do: there is no workload of a definition that is there\n");
  if (problems.errors() == 0 || !answers.empty()) print_answers(answers, options, kernels);
  const bool is_missing =
      std::any_of(answers.begin(), answers.end(),
                  [](const ResolveAnswer& answer) { return answer.resolution.chosen == nullptr; });
  return exit_after(problems, is_missing        ? exit_negative
                              : answers.empty() ? exit_undecided
                                                : exit_good);
}

}  // namespace

std::function<int()> declare_kernels_resolve(CommandLine line) {
  auto options = std::make_shared<KernelsResolveOptions>();
  declare_libraries(line, options->kernels);
  CommandLine what = line.add_choice("call", "One of these");
  what.add_option("--op OP", options->op, "An operator: add.out, or ns::name.overload");
  what.add_option("--definition NAME", options->definition, "The calls of a Definition");
  what.add_option("--trace PATH", options->traces,
                  "The calls of workload files, trace files and trace sets")
      .one_word();
  line.add_option("--meta TENSORS", options->meta,
                  "With --op: its tensors, as in self=Float[0,1],other=Float[0,1],out=Float[0,1]");
  line.add_option("--axes AXES", options->axes,
                  "Sizes, and values of scalars, for conditions: M=8,window=0");
  line.add_option("--platform PLATFORM", options->platform,
                  "Only what is written so: cpp, cuda, triton …");
  line.add_option("--backend BACKEND", options->backend,
                  "Only what runs there: cpu, gpu:sm_90, any …");
  line.add_read(
          "--context CONTEXT",
          [options = options.get()](const std::string&) { options->context = "sharded"; },
          "Which functions of the kernel serve there: sharded, as one of several; ejkernel's "
          "shard_map is the same")
      .one_of({"sharded", "shard_map"});
  line.add_flag("--explain", options->explain,
                "Every kernel, and why it is skipped; of the chosen one its functions");
  line.add_option("--format FORMAT", options->format, "text or json").one_of({"text", "json"});
  declare_configuring(line, options->configuring);
  decline_tuning(line);
  return [options] { return resolve(*options); };
}

}  // namespace kbench
