#include "validate/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <variant>

#include "base/text.hpp"
#include "base/words.hpp"
#include "build/gpu/architecture.hpp"
#include "kernels/registry/operator_binding.hpp"
#include "problem/constraint.hpp"
#include "schema/check_function.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

using Remarks = std::vector<Remark>;

struct TagNamespace {
  std::string_view name;
  std::span<const std::string_view> values;  // none: any
};
constexpr std::string_view stages[] = {"prefill", "decode", "norm", "mtp", "indexer"};
constexpr std::string_view statuses[] = {"verified",  "draft",      "deprecated",
                                         "reference", "unverified", "experimental"};
// Controlled namespaces of the schema's documentation with the values that it names, and those of
// FlashInfer-Bench's own data.
constexpr TagNamespace namespaces[] = {{"stage", stages},    {"model", {}},  {"quantization", {}},
                                       {"status", statuses}, {"fi_api", {}}, {"op", {}},
                                       {"tp", {}},           {"ep", {}}};

constexpr std::string_view by_position =
    "inputs are passed by position, in the order of \"inputs\"";

constexpr std::string_view by_name =
    "kbench passes them by name then, FlashInfer-Bench in the order of \"inputs\": swapped";

const python::Function* find_run(const python::Module& module) {
  const auto last = std::find_if(module.functions.rbegin(), module.functions.rend(),
                                 [](const python::Function& f) { return f.name == "run"; });
  return last == module.functions.rend() ? nullptr : &*last;
}

struct Signature {
  std::vector<std::string_view> names;  // positional parameters
  std::size_t required = 0;             // number of them without a default
  bool open = false;                    // true where *args follows
};

Signature signature_of(const python::Function& run) {
  Signature signature;
  for (const python::Parameter& parameter : run.parameters) {
    using Kind = python::Parameter::Kind;
    if (parameter.kind == Kind::var_positional) signature.open = true;
    if (parameter.kind != Kind::positional) continue;
    signature.names.push_back(parameter.name);
    if (!parameter.has_default) signature.required = signature.names.size();
  }
  return signature;
}

void remark_on_parameters(const Definition& definition, Remarks& out) {
  const auto parsed = python::parse_module(definition.reference);
  const auto* module = std::get_if<python::Module>(&parsed);
  const python::Function* run = module == nullptr ? nullptr : find_run(*module);
  if (run == nullptr) return;
  const Signature signature = signature_of(*run);
  const auto& inputs = definition.inputs.items;
  const std::size_t taken = signature.names.size();
  if (inputs.size() < signature.required || (inputs.size() > taken && !signature.open)) {
    out.push_back({"/reference", run->def_begin,
                   fmt::format("run() takes {}, \"inputs\" has {}", counted(taken, "argument"),
                               inputs.size()),
                   std::string(by_position)});
    return;
  }
  for (std::size_t i = 0; i < std::min(taken, inputs.size()); ++i) {
    const std::string_view name = signature.names[i];
    if (name == inputs[i].first || !definition.inputs.contains(name)) continue;
    out.push_back({"/reference", run->def_begin,
                   fmt::format("run() takes \"{}\" as argument {}, where \"inputs\" has \"{}\"",
                               name, i + 1, inputs[i].first),
                   std::string(by_name)});
    return;  // the others follow from this one
  }
}

// Callers of an operator take the first one.
void remark_on_operators(const Definition& definition, Remarks& out) {
  for (std::size_t i = 0, count = 0; i < definition.tags.size(); ++i) {
    if (!definition.tags[i].starts_with("op:") || ++count == 1) continue;
    out.push_back(
        {fmt::format("/tags/{}", i), 0,
         fmt::format("links a second operator: {} is what counts", *linked_operator(definition)),
         "a Definition for each"});
  }
}

std::vector<std::string> namespace_names() {
  std::vector<std::string> names;
  for (const TagNamespace& one : namespaces) names.emplace_back(one.name);
  return names;
}

std::string hint_of(std::string_view word, const std::vector<std::string>& known,
                    std::string_view what) {
  const std::string near = did_you_mean(word, known);
  return near.empty() ? fmt::format("{} are {}", what, join(known, ", ")) : near;
}

void remark_on_value(const TagNamespace& space, std::string_view tag, const std::string& pointer,
                     Remarks& out) {
  const std::string_view value = trim(tag.substr(space.name.size() + 1));
  if (value.empty())
    return out.push_back({pointer, 0, fmt::format("tag \"{}\" has no value", tag), ""});
  if (tag[space.name.size() + 1] == ' ')
    out.push_back({pointer, 0, fmt::format("tag \"{}\" has a blank", tag),
                   fmt::format("it is read as \"{}:{}\"", space.name, value)});
  if (space.values.empty() || is_one_of(value, space.values)) return;
  const std::vector<std::string> known(space.values.begin(), space.values.end());
  out.push_back({pointer, 0, fmt::format("tag \"{}\" has no known value", tag),
                 hint_of(value, known, "values")});
}

void remark_on_tags(const Definition& definition, Remarks& out) {
  for (std::size_t i = 0; i < definition.tags.size(); ++i) {
    const std::string_view tag = definition.tags[i];
    const std::string pointer = fmt::format("/tags/{}", i);
    const std::string_view name = tag.substr(0, tag.find(':'));
    const bool is_flag = name.size() == tag.size();
    const auto space = std::find_if(std::begin(namespaces), std::end(namespaces),
                                    [&](const TagNamespace& one) { return one.name == name; });
    if (space != std::end(namespaces) && is_flag) {
      out.push_back(
          {pointer, 0, fmt::format("tag \"{}\" has no value", tag), fmt::format("\"{}:…\"", name)});
    } else if (space != std::end(namespaces)) {
      remark_on_value(*space, tag, pointer, out);
    } else if (!is_flag) {
      out.push_back({pointer, 0, fmt::format("tag \"{}\" is of no known namespace", tag),
                     hint_of(name, namespace_names(), "namespaces")});
    }
  }
}

// Tells whether a number of the name, "4096" of "rmsnorm_h4096", is the length of a const axis.
bool names_a_constant(const Definition& definition) {
  const std::string& name = definition.name;
  std::size_t at = 0;
  while ((at = name.find_first_of("0123456789", at)) != name.npos) {
    const std::size_t end = std::min(name.find_first_not_of("0123456789", at), name.size());
    for (const auto& [axis, kind] : definition.axes)
      if (name.substr(at, end - at) == std::to_string(const_value(kind).value_or(0))) return true;
    at = end;
  }
  return false;
}

// Names are {op_type}_{properties}_{constants}; "fused_add_rmsnorm_h4096" of op_type "rmsnorm" is
// near enough. Definitions of operators are called after these.
void remark_on_name(const Definition& definition, Remarks& out) {
  constexpr const char* convention = "by convention a name is {op_type}_{properties}_{constants}";
  const std::string name = "_" + definition.name + "_";
  if (name.find("_" + definition.op_type + "_") == std::string::npos)
    out.push_back({"/name", 0,
                   fmt::format("the name does not contain the op_type \"{}\"", definition.op_type),
                   convention});
  const bool has_constants =
      std::any_of(definition.axes.begin(), definition.axes.end(),
                  [](const auto& axis) { return const_value(axis.second).value_or(1) > 1; });
  if (has_constants && !linked_operator(definition) && !names_a_constant(definition))
    out.push_back({"/name", 0, "the name has the length of no const axis", convention});
}

void remark_on_dtypes(const Definition& definition, Remarks& out) {
  for (const auto& [pointer, tensors] :
       {std::pair("/inputs", &definition.inputs), std::pair("/outputs", &definition.outputs)}) {
    for (const auto& [name, spec] : *tensors) {
      if (is_in_flashinfer_bench(spec.dtype)) continue;
      out.push_back({fmt::format("{}/{}/dtype", pointer, pointer_step(name)), 0,
                     fmt::format("FlashInfer-Bench has no dtype {}", info(spec.dtype).name),
                     "kbench judges it; other programs refuse the Definition"});
    }
  }
}

void remark_on_calls(const Definition& definition, Remarks& out) {
  const std::string_view text = definition.reference;
  if (text.find("nn") == std::string_view::npos) return;
  const auto tokenized = python::tokenize(text);
  const auto* tokens = std::get_if<std::vector<python::Token>>(&tokenized);
  if (tokens == nullptr) return;
  const auto word = [&](std::size_t i) {
    return text.substr((*tokens)[i].begin, (*tokens)[i].end - (*tokens)[i].begin);
  };
  for (std::size_t i = 0; i + 2 < tokens->size(); ++i) {
    if (word(i) != "torch" || word(i + 2) != "nn" ||
        (word(i + 1) != "." && word(i + 1) != "import"))
      continue;
    out.push_back({"/reference", (*tokens)[i].begin,
                   "the reference uses torch.nn, which hides the computation",
                   "a reference spells its steps out, without torch.nn.functional"});
    return;
  }
}

void remark_on_check(const Definition& definition, Remarks& out) {
  if (const auto idle = find_idle_check(definition))
    out.push_back({"/reference", idle->begin, idle->why, idle->hint});
}

void remark_on_constraints(const Definition& definition, Remarks& out) {
  for (ConstraintProblem& problem : constraint_problems(definition)) {
    out.push_back({fmt::format("/constraints/{}", problem.constraint), problem.index,
                   std::move(problem.message), std::move(problem.hint)});
  }
}

// A misspelt processor is any device: the solution would be judged anywhere.
void remark_on_targets(const BuildSpec& spec, Remarks& out) {
  const std::vector<std::string> known = {"cpu", "cuda", "gpu", "tpu", "mps"};
  for (std::size_t i = 0; i < spec.target_hardware.size(); ++i) {
    const std::string word = lower(spec.target_hardware[i]);
    const std::string hint = has_word(known, word) ? "" : did_you_mean(word, known);
    if (!hint.empty())
      out.push_back({fmt::format("/spec/target_hardware/{}", i), 0,
                     fmt::format("kbench knows no device \"{}\"", spec.target_hardware[i]), hint});
  }
}

}  // namespace

std::vector<Remark> remarks_on(const Definition& definition) {
  Remarks out;
  remark_on_name(definition, out);
  remark_on_tags(definition, out);
  remark_on_dtypes(definition, out);
  remark_on_operators(definition, out);
  remark_on_parameters(definition, out);
  remark_on_calls(definition, out);
  remark_on_check(definition, out);
  remark_on_constraints(definition, out);
  return out;
}

std::vector<Remark> remarks_on(const Solution& solution) {
  Remarks out;
  if (std::string problem = entry_problem(solution); !problem.empty())
    out.push_back(
        {"/spec/entry_point", 0, std::move(problem), "it is \"<source file>::<function>\""});
  constexpr std::string_view hook = "__ejkernel_unsupported__";
  for (std::size_t i = 0; i < solution.sources.size(); ++i)
    if (const std::size_t at = solution.sources[i].content.find(hook); at != std::string::npos)
      out.push_back({fmt::format("/sources/{}/content", i), at,
                     fmt::format("{} is never called", hook),
                     "supports: {where: […]} of the sidecar says which calls it serves"});
  const BuildSpec& spec = solution.spec;
  if (spec.language == Language::python) remark_on_targets(spec, out);
  if (spec.language != Language::cuda) return out;
  for (const std::size_t i : gpu::unknown_devices(spec.target_hardware))
    out.push_back({fmt::format("/spec/target_hardware/{}", i), 0,
                   fmt::format("kbench knows no device \"{}\"", spec.target_hardware[i]),
                   "it is built for the GPU that is there, else for sm_90"});
  return out;
}

void add_remarks(const std::vector<Remark>& remarks, const Place& record, bool strict,
                 Diagnostics& diagnostics) {
  for (const Remark& remark : remarks) {
    diagnostics.add({strict ? Level::error : Level::warning,
                     record.value(remark.pointer, remark.index), remark.message, remark.hint});
  }
}

}  // namespace kbench
