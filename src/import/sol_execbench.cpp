// NVIDIA SOL-ExecBench: a folder a problem with definition.json, workload.jsonl (bare workloads),
// solution*.json and config.json. Its schema is FlashInfer-Bench's with axes that are expressions,
// numbers in shapes, inputs made by code, a tolerance a workload and a list of languages.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "import/definition_edit.hpp"
#include "import/format.hpp"
#include "problem/constraint_value.hpp"
#include "schema/json_tree.hpp"
#include "schema/lax.hpp"

namespace kbench {
namespace {

using json::Member;
using json::Value;

constexpr std::string_view default_op_type = "sol";

ForeignKind sol_kind(const Document& document, Diagnostics& notes) {
  const Value& value = document.value;
  if (std::filesystem::path(document.source->path).filename() == "config.json") {
    notes.warning(locate(*document.source, value.begin),
                  fmt::format("the settings {} are not carried over", compact_json(value)),
                  "kbench run takes them as options, or in a file with --config");
    return ForeignKind::ignored;
  }
  if (json::member(&value, "spec") && json::member(&value, "sources")) return ForeignKind::solution;
  if (json::member(&value, "reference") && json::member(&value, "axes"))
    return ForeignKind::definition;
  const bool workload = json::member(&value, "axes") && json::member(&value, "uuid");
  return workload ? ForeignKind::trace : ForeignKind::none;
}

// ---- axes that are expressions ----

bool is_expression(const Value& axis) {
  return json::text_of(json::member(&axis, "type")) == "expr";
}

// The value of an expression over lengths that `length` knows.
ConstraintValue evaluate(
    std::string_view text,
    const std::function<std::optional<std::int64_t>(std::string_view name)>& length) {
  const auto parsed = python::parse_expression(text);
  if (const auto* error = std::get_if<python::SyntaxError>(&parsed))
    return NoValue{ConstraintResult::Outcome::invalid, error->message};
  const ConstraintScope scope{
      length, [](std::string_view) { return std::nullopt; },
      [](std::string_view, std::span<const std::int64_t>) { return std::nullopt; }};
  std::vector<std::string> used;
  return constraint_value(*std::get<python::ExpressionPtr>(parsed), scope, used);
}

// Lengths of axes: of the const ones of `axes`, of those that `given` says, of expressions over
// them. No expression is followed deeper than there are axes, so that circles end.
class Lengths {
 public:
  Lengths(const Value* axes, const Value* given) : axes_(axes), given_(given) {}

  ConstraintValue of_expression(std::string_view text) const {
    if (depth_ > (axes_ == nullptr ? 0 : axes_->members.size()))
      return NoValue{ConstraintResult::Outcome::invalid, "the axes depend on each other"};
    ++depth_;
    const ConstraintValue value =
        evaluate(text, [this](std::string_view name) { return find(name); });
    --depth_;
    return value;
  }

 private:
  std::optional<std::int64_t> find(std::string_view name) const {
    if (const Value* said = json::member(given_, name)) return lax_integer(*said);
    const Value* axis = json::member(axes_, name);
    if (const Value* value = json::member(axis, "value")) return lax_integer(*value);
    if (axis == nullptr || !is_expression(*axis)) return std::nullopt;
    const ConstraintValue value = of_expression(json::text_of(json::member(axis, "expression")));
    const auto* number = std::get_if<std::int64_t>(&value);
    return number == nullptr ? std::nullopt : std::optional(*number);
  }

  const Value* axes_;
  const Value* given_;
  mutable std::size_t depth_ = 0;
};

// A const axis where the expression has a value whatever the workload, else a var axis and a
// constraint, which is added to `constraints`.
Member plain_axis(const Member& one, const Lengths& constants, const RecordDraft& draft,
                  std::vector<Value>& constraints) {
  const Value* said = json::member(&one.value, "expression");
  const std::string_view text = json::text_of(said);
  if (!is_expression(one.value) || text.empty()) return one;
  Value axis = draft.edit.without(one.value, "expression");
  const ConstraintValue value = constants.of_expression(text);
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    draft.info(*said, fmt::format("axis \"{}\" = {} is const: {}", one.key, text, *number));
    axis = draft.edit.with(axis, "value", draft.edit.integer(*number, *said));
    return {one.key, one.key_begin,
            draft.edit.with(axis, "type", draft.edit.string("const", *said))};
  }
  const NoValue& none = std::get<NoValue>(value);
  if (none.outcome != ConstraintResult::Outcome::open) {
    draft.error(*said,
                fmt::format("axis \"{}\" = {} has no value: {}", one.key, text, none.message));
  } else {
    draft.info(*said,
               fmt::format("axis \"{}\" = {} becomes a var axis and a constraint", one.key, text),
               "each workload gives its length");
    constraints.push_back(draft.edit.string(fmt::format("{} == {}", one.key, text), *said));
  }
  return {one.key, one.key_begin, draft.edit.with(axis, "type", draft.edit.string("var", *said))};
}

Value with_plain_axes(const Value& definition, const RecordDraft& draft) {
  const Lengths constants(json::member(&definition, "axes"), nullptr);
  const Value* old = json::member(&definition, "constraints");
  std::vector<Value> constraints;
  if (old != nullptr) constraints.assign(old->items.begin(), old->items.end());
  const std::size_t before = constraints.size();
  const Value edited = with_members(definition, "axes", draft, [&](const Member& one) {
    return plain_axis(one, constants, draft, constraints);
  });
  if (constraints.size() == before || !json::is_list_or_absent(old)) return edited;
  return draft.edit.with(edited, "constraints",
                         draft.edit.array(constraints, old != nullptr ? *old : definition));
}

// ---- definitions ----

Value with_op_type(const Value& definition, const RecordDraft& draft) {
  const Value* said = json::member(&definition, "op_type");
  if (said != nullptr && !json::is_empty(*said)) return definition;
  draft.info(definition, fmt::format("no op_type is given: it is \"{}\"", default_op_type));
  return draft.edit.with(definition, "op_type", draft.edit.string(default_op_type, definition));
}

// The model that a definition is of is a tag.
Value with_model_tag(const Value& definition, const RecordDraft& draft) {
  const Value* said = json::member(&definition, "hf_id");
  if (said == nullptr) return definition;
  const Value without = draft.edit.without(definition, "hf_id");
  if (json::text_of(said).empty()) return without;
  const std::string tag = fmt::format("model:{}", said->text);
  draft.info(*said, fmt::format("hf_id becomes the tag \"{}\"", tag));
  const Value* tags = json::member(&definition, "tags");
  if (!json::is_list_or_absent(tags)) return without;
  std::vector<Value> all;
  if (tags != nullptr) all.assign(tags->items.begin(), tags->items.end());
  all.push_back(draft.edit.string(tag, *said));
  return draft.edit.with(without, "tags", draft.edit.array(all, *said));
}

Value sol_definition(const Survey&, const RecordDraft& draft) {
  Value value = with_op_type(with_imports(draft.document.value, draft), draft);
  value = with_model_tag(value, draft);
  value = without_reported(value, "custom_inputs_entrypoint", draft,
                           "--run-init runs it, in the sandbox of references, once for each "
                           "workload whose inputs it makes");
  value = with_plain_axes(value, draft);
  return with_tidy_tensors(value, draft);
}

// ---- workloads ----

bool is_custom(const Value* inputs) {
  return inputs != nullptr && inputs->is_object() &&
         std::any_of(inputs->members.begin(), inputs->members.end(), [](const Member& one) {
           return json::text_of(json::member(&one.value, "type")) == "custom";
         });
}

// "atol: 0.01, rtol: 0.01", the keys of a configuration file.
std::string settings_text(const Value& tolerance) {
  constexpr std::pair<std::string_view, std::string_view> keys[] = {
      {"max_atol", "atol"},
      {"max_rtol", "rtol"},
      {"required_matched_ratio", "required_matched_ratio"}};
  std::string text;
  for (const auto& [theirs, ours] : keys) {
    const Value* said = json::member(&tolerance, theirs);
    if (said != nullptr)
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", ours, compact_json(*said));
  }
  return text;
}

Value without_tolerance(const Value& workload, std::string_view definition,
                        const RecordDraft& draft) {
  const Value* tolerance = json::member(&workload, "tolerance");
  if (tolerance == nullptr) return workload;
  const std::string settings = settings_text(*tolerance);
  draft.warning(*tolerance,
                fmt::format("the tolerance {} is not carried over: workloads have none",
                            compact_json(*tolerance)),
                settings.empty() ? "kbench has no such setting"
                                 : fmt::format("for all workloads of the definition, in a file for "
                                               "--config: definition_config: {{{}: {{{}}}}}",
                                               definition, settings));
  return draft.edit.without(workload, "tolerance");
}

// The lengths of axes that are expressions in the foreign definition.
Value with_computed_axes(const Value& workload, const Value& definition, const RecordDraft& draft) {
  const Value* axes = json::member(&definition, "axes");
  const Value* given = json::member(&workload, "axes");
  if (axes == nullptr || given == nullptr || !given->is_object()) return workload;
  const Lengths constants(axes, nullptr);
  const Lengths lengths(axes, given);
  Value all = *given;
  for (const Member& axis : axes->members) {
    const std::string_view text = json::text_of(json::member(&axis.value, "expression"));
    if (!is_expression(axis.value) || json::member(given, axis.key) != nullptr ||
        std::holds_alternative<std::int64_t>(constants.of_expression(text)))
      continue;
    const ConstraintValue value = lengths.of_expression(text);
    if (const auto* none = std::get_if<NoValue>(&value)) {
      draft.error(*given,
                  fmt::format("axis \"{}\" = {} has no value: {}", axis.key, text, none->message));
      return draft.edit.with(workload, "axes", draft.edit.broken(*given));
    }
    all = draft.edit.with(all, axis.key, draft.edit.integer(std::get<std::int64_t>(value), *given));
  }
  return draft.edit.with(workload, "axes", all);
}

Value sol_trace(const Survey& survey, const RecordDraft& draft) {
  const Value& bare = draft.document.value;
  const Document* beside = survey.definition_beside(draft.document);
  if (beside == nullptr) {
    draft.error(bare, "there is no definition.json beside it: workload left out",
                "a workload is of the definition in its folder");
    return draft.edit.broken(bare);
  }
  const std::string_view name = json::text_of(json::member(&beside->value, "name"));
  const Value* inputs = json::member(&bare, "inputs");
  if (is_custom(inputs)) {
    draft.error(*inputs, "the inputs are made by the definition's code: workload left out",
                "--run-init runs it, in the sandbox of references");
    return draft.edit.broken(bare);
  }
  Value workload = without_tolerance(bare, name, draft);
  workload = with_computed_axes(workload, beside->value, draft);
  const Value definition = draft.edit.string(name, bare);
  return draft.edit.object(
      {{"definition", bare.begin, definition}, {"workload", bare.begin, workload}}, bare);
}

// ---- solutions ----

struct ForeignLanguage {
  std::string_view name;
  std::string_view ours;     // "" where kbench has none
  std::string_view library;  // that is a dependency
};
constexpr ForeignLanguage sol_languages[] = {
    {"pytorch", "python", ""},    {"triton", "triton", ""},   {"cuda_cpp", "cuda", ""},
    {"cublas", "cuda", "cublas"}, {"cudnn", "cuda", "cudnn"}, {"cutlass", "cuda", "cutlass"},
    {"cute_dsl", "", ""},         {"cutile", "", ""},         {"cudnn_frontend", "", ""},
};

const ForeignLanguage* find_language(std::string_view name) {
  const auto row = std::find_if(std::begin(sol_languages), std::end(sol_languages),
                                [&](const ForeignLanguage& one) { return one.name == name; });
  return row == std::end(sol_languages) ? nullptr : row;
}

Value with_dependency(const Value& spec, std::string_view library, const Value& at,
                      const RecordDraft& draft) {
  const Value* old = json::member(&spec, "dependencies");
  if (!json::is_list_or_absent(old)) return spec;
  std::vector<Value> all;
  if (old != nullptr) all.assign(old->items.begin(), old->items.end());
  const bool there = std::any_of(all.begin(), all.end(),
                                 [&](const Value& one) { return json::text_of(&one) == library; });
  if (there) return spec;
  all.push_back(draft.edit.string(library, at));
  return draft.edit.with(spec, "dependencies", draft.edit.array(all, at));
}

// The one language of a list: of Python's the more special one, of C++'s always cuda.
Value with_language(const Value& old, const RecordDraft& draft) {
  const Value* said = json::member(&old, "languages");
  if (said == nullptr || said->kind != json::Kind::array || said->items.empty()) return old;
  Value spec = draft.edit.without(old, "languages");
  std::string_view chosen;
  for (const Value& one : said->items) {
    const ForeignLanguage* language = find_language(json::text_of(&one));
    if (language == nullptr || language->ours.empty()) {
      draft.error(
          one, fmt::format("language {} has no counterpart: solution left out", compact_json(one)),
          "languages are python, triton, cpp, cuda and tilelang");
      return draft.edit.with(spec, "language", draft.edit.broken(*said));
    }
    if (chosen.empty() || chosen == "python") chosen = language->ours;
    if (!language->library.empty()) {
      draft.info(one, fmt::format("language {0} is cuda with the dependency {0}", language->name));
      spec = with_dependency(spec, language->library, one, draft);
    }
  }
  return draft.edit.with(spec, "language", draft.edit.string(chosen, *said));
}

// Flags of compiled solutions, SOL-ExecBench's defaults written out.
Value with_flags(const Value& old, const Value& at, const RecordDraft& draft) {
  Value spec = draft.edit.without(old, "compile_options");
  const Value* options = json::member(&old, "compile_options");
  const Value* cuda_flags = json::member(options, "cuda_cflags");
  const Value* link_flags = json::member(options, "ld_flags");
  const Value* host_flags = json::member(options, "cflags");
  if (host_flags != nullptr && !json::is_empty(*host_flags))
    draft.warning(*host_flags, "\"cflags\" is not carried over",
                  "compile_flags go to the compiler of the solution's language, nvcc");
  if (cuda_flags == nullptr || link_flags == nullptr)
    draft.info(at, "SOL-ExecBench's default flags are written out");
  spec = draft.edit.with(
      spec, "compile_flags",
      cuda_flags != nullptr ? *cuda_flags : draft.edit.strings({"-O3", "--use_fast_math"}, at));
  return draft.edit.with(spec, "link_flags",
                         link_flags != nullptr ? *link_flags : draft.edit.strings({"-lcuda"}, at));
}

Value sol_solution(const Survey&, const RecordDraft& draft) {
  const Value& value = draft.document.value;
  const Value* old = json::member(&value, "spec");
  if (!old->is_object()) return value;
  Value spec = with_language(*old, draft);
  if (json::text_of(json::member(&spec, "language")) == "cuda") {
    spec = with_flags(spec, *old, draft);
    const Value* binding = json::member(&spec, "binding");
    if (binding == nullptr || json::is_empty(*binding))
      spec = draft.edit.with(spec, "binding", draft.edit.string("torch", *old));
  } else {
    spec = without_reported(spec, "compile_options", draft, "nothing is compiled");
  }
  return draft.edit.with(value, "spec", spec);
}

constexpr JsonFormat sol_format{&sol_kind, &sol_definition, &sol_solution, &sol_trace};

}  // namespace

Imported read_sol_execbench(std::vector<ForeignFile> files, const KnownRecords& known) {
  return read_json_records(std::move(files), sol_format, known);
}

}  // namespace kbench
