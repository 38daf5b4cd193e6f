// FlashInfer-Bench's data set as it was in mid-2025: "type" for op_type, an empty shape for a
// Python scalar, languages with a capital, entry points without a file, solutions that return their
// outputs, workloads without uuid that repeat the const axes, "format" for an input's type,
// evaluations with log_file and device. A workload has the solution "" and the evaluation {}.
#include <fmt/format.h>

#include <algorithm>

#include "base/digest.hpp"
#include "import/definition_edit.hpp"
#include "import/format.hpp"
#include "schema/json_tree.hpp"
#include "schema/lax.hpp"

namespace kbench {
namespace {

using json::Member;
using json::Value;

ForeignKind kind_of_2025(const Document& document, Diagnostics&) {
  const Value& value = document.value;
  if (json::member(&value, "workload")) return ForeignKind::trace;
  if (json::member(&value, "spec") && json::member(&value, "sources")) return ForeignKind::solution;
  const bool definition = json::member(&value, "axes") && json::member(&value, "reference");
  return definition ? ForeignKind::definition : ForeignKind::none;
}

// ---- definitions ----

// A key of today under its name of then.
Value with_new_key(const Value& object, std::string_view from, std::string_view to,
                   const RecordDraft& draft) {
  if (json::member(&object, from) == nullptr || json::member(&object, to) != nullptr) return object;
  return draft.edit.renamed(object, from, to);
}

std::string_view input_type(const Value& input) {
  const std::string_view type = json::text_of(json::member(&input, "type"));
  return type.empty() ? json::text_of(json::member(&input, "format")) : type;
}

// Some workload takes this input from a file of tensors, so it is one.
bool is_stored(const Survey& survey, std::string_view definition, std::string_view input) {
  return std::any_of(
      survey.documents.begin(), survey.documents.end(), [&](const Document& document) {
        if (document.kind != ForeignKind::trace ||
            json::text_of(json::member(&document.value, "definition")) != definition)
          return false;
        const Value* inputs = json::member(json::member(&document.value, "workload"), "inputs");
        const Value* source = json::member(inputs, input);
        return source != nullptr && input_type(*source) == "safetensors";
      });
}

Value with_scalars(const Value& definition, const Survey& survey, const RecordDraft& draft) {
  const std::string_view name = json::text_of(json::member(&definition, "name"));
  return with_members(definition, "inputs", draft, [&](const Member& one) {
    const Value* shape = json::member(&one.value, "shape");
    const bool empty = shape != nullptr && shape->kind == json::Kind::array && shape->items.empty();
    if (!empty || is_stored(survey, name, one.key)) return one;
    draft.info(*shape,
               fmt::format("input \"{}\" of shape [] is a number: its shape is null", one.key),
               "a 0-D tensor has the shape [] today");
    return Member{one.key, one.key_begin,
                  draft.edit.with(one.value, "shape", draft.edit.null(*shape))};
  });
}

Value without_parents(const Value& definition, const RecordDraft& draft) {
  return with_members(definition, "axes", draft, [&](const Member& one) {
    return Member{one.key, one.key_begin,
                  without_reported(one.value, "parent", draft,
                                   "a constraint says how axes depend on each other")};
  });
}

Value definition_of_2025(const Survey& survey, const RecordDraft& draft) {
  Value value = with_new_key(with_imports(draft.document.value, draft), "type", "op_type", draft);
  value = with_axis_values(without_parents(value, draft), draft);
  return with_tidy_tensors(with_scalars(value, survey, draft), draft);
}

// ---- solutions ----

struct OldLanguage {
  std::string_view then;
  std::string_view now;
};
constexpr OldLanguage languages_of_2025[] = {
    {"Python", "python"}, {"Triton", "triton"}, {"CUDA", "cuda"}, {"C++", "cpp"}, {"CPP", "cpp"}};

// The source that an entry point without a file means: the only one, else main.py.
std::string entry_file(const Value& solution) {
  const Value* sources = json::member(&solution, "sources");
  if (sources == nullptr || sources->items.empty()) return "";
  const auto path = [](const Value& source) {
    return json::text_of(json::member(&source, "path"));
  };
  if (sources->items.size() == 1) return std::string(path(sources->items[0]));
  const auto main = std::find_if(sources->items.begin(), sources->items.end(),
                                 [&](const Value& source) { return path(source) == "main.py"; });
  return main == sources->items.end() ? "" : "main.py";
}

Value with_entry_file(const Value& spec, const RecordDraft& draft) {
  const Value* entry = json::member(&spec, "entry_point");
  if (entry == nullptr || !entry->is_string() || entry->text.find("::") != std::string_view::npos)
    return spec;
  const std::string file = entry_file(draft.document.value);
  if (file.empty()) return spec;  // the record reader says what is wrong
  const std::string whole = fmt::format("{}::{}", file, entry->text);
  return draft.edit.with(spec, "entry_point", draft.edit.string(whole, *entry));
}

Value with_new_language(const Value& spec, const RecordDraft& draft) {
  const Value* said = json::member(&spec, "language");
  const auto row = std::find_if(
      std::begin(languages_of_2025), std::end(languages_of_2025),
      [&](const OldLanguage& language) { return language.then == json::text_of(said); });
  if (row == std::end(languages_of_2025)) return spec;
  Value edited = draft.edit.with(spec, "language", draft.edit.string(row->now, *said));
  const bool compiled = row->now == "cuda" || row->now == "cpp";
  if (!compiled || json::member(&spec, "binding") != nullptr) return edited;
  draft.info(*said, "the binding of compiled solutions was PyTorch's: \"binding\" is \"torch\"");
  return draft.edit.with(edited, "binding", draft.edit.string("torch", *said));
}

Value solution_of_2025(const Survey&, const RecordDraft& draft) {
  const Value& value = draft.document.value;
  const Value* old = json::member(&value, "spec");
  if (!old->is_object()) return value;
  Value spec = *old;
  for (const std::string_view key : {"build_steps", "build_commands"})
    spec = without_reported(spec, key, draft, "kbench builds by itself: compile_flags, link_flags");
  spec = with_new_language(with_entry_file(spec, draft), draft);
  if (json::member(&spec, "destination_passing_style") == nullptr) {
    draft.info(*old, "solutions returned their outputs: destination_passing_style is false");
    spec = draft.edit.with(spec, "destination_passing_style", draft.edit.boolean(false, *old));
  }
  return draft.edit.with(value, "spec", spec);
}

// ---- workloads and traces ----

Value with_input_types(const Value& workload, const RecordDraft& draft) {
  return with_members(workload, "inputs", draft, [&](const Member& one) {
    return Member{one.key, one.key_begin, with_new_key(one.value, "format", "type", draft)};
  });
}

// Lengths of const axes are the definition's; one that differs stays, and is found to be wrong.
Value without_const_axes(const Value& workload, const Definition* definition,
                         const RecordDraft& draft) {
  if (definition == nullptr) return workload;
  const auto repeats = [&](const Member& one) {
    const Axis* axis = definition->axes.find(one.key);
    const auto constant = axis == nullptr ? std::nullopt : const_value(*axis);
    return constant && lax_integer(one.value) == constant;
  };
  bool any = false;
  const Value edited =
      with_members(workload, "axes", draft, [&](const Member& one) -> std::optional<Member> {
        if (!repeats(one)) return one;
        any = true;
        return std::nullopt;
      });
  if (any) draft.info(workload, "the lengths of const axes are left to the definition");
  return edited;
}

// Returns, in the form of a UUID, the same name for the same definition and content.
std::string uuid_of(std::string_view definition, const Value& workload) {
  const std::string hash = sha256_hex(fmt::format("{}\n{}", definition, compact_json(workload)));
  return fmt::format("{}-{}-{}-{}-{}", hash.substr(0, 8), hash.substr(8, 4), hash.substr(12, 4),
                     hash.substr(16, 4), hash.substr(20, 12));
}

Value new_workload(const Value& old, std::string_view name, const Survey& survey,
                   const RecordDraft& draft) {
  Value workload = with_input_types(old, draft);
  workload = without_const_axes(workload, survey.definition(name), draft);
  if (json::member(&workload, "uuid") != nullptr) return workload;
  draft.info(old, "the workload has no uuid: it gets one made of its content");
  return draft.edit.with(workload, "uuid", draft.edit.string(uuid_of(name, workload), old));
}

Value new_evaluation(const Value& old, const RecordDraft& draft) {
  Value evaluation = old;
  if (const Value* log = json::member(&evaluation, "log_file")) {
    draft.warning(*log, "\"log_file\" is not carried over", "a log stands in the record itself");
    evaluation = draft.edit.without(evaluation, "log_file");
  }
  const Value* environment = json::member(&evaluation, "environment");
  if (environment == nullptr || !environment->is_object()) return evaluation;
  return draft.edit.with(evaluation, "environment",
                         with_new_key(*environment, "device", "hardware", draft));
}

Value trace_of_2025(const Survey& survey, const RecordDraft& draft) {
  Value value = draft.document.value;
  const std::string_view name = json::text_of(json::member(&value, "definition"));
  const Value* workload = json::member(&value, "workload");
  if (workload->is_object())
    value = draft.edit.with(value, "workload", new_workload(*workload, name, survey, draft));
  for (const std::string_view key : {"solution", "evaluation"}) {
    const Value* said = json::member(&value, key);
    if (said != nullptr && json::is_empty(*said))
      value = draft.edit.with(value, key, draft.edit.null(*said));
  }
  const Value* evaluation = json::member(&value, "evaluation");
  if (evaluation == nullptr || !evaluation->is_object()) return value;
  return draft.edit.with(value, "evaluation", new_evaluation(*evaluation, draft));
}

constexpr JsonFormat format_of_2025{&kind_of_2025, &definition_of_2025, &solution_of_2025,
                                    &trace_of_2025};

}  // namespace

Imported read_flashinfer_2025(std::vector<ForeignFile> files, const KnownRecords& known) {
  return read_json_records(std::move(files), format_of_2025, known);
}

}  // namespace kbench
