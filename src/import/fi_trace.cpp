// FlashInfer's dumps: a Definition a file, as its API calls describe themselves. Facts observed on
// the files it ships: `init` and `check` hold Python source, the reference keeps its own name, a
// tensor may be "optional" and name its "param", an argument that was None has the dtype "unknown".
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "import/definition_edit.hpp"
#include "import/format.hpp"
#include "import/run_alias.hpp"

namespace kbench {
namespace {

using json::Member;
using json::Value;

ForeignKind fi_trace_kind(const Document& document, Diagnostics&) {
  const Value& value = document.value;
  const bool definition = json::member(&value, "axes") && json::member(&value, "inputs") &&
                          json::member(&value, "outputs");
  return definition ? ForeignKind::definition : ForeignKind::none;
}

std::string_view parameter_of(const Member& input) {
  const std::string_view said = json::text_of(json::member(&input.value, "param"));
  return said.empty() ? input.key : said;
}

std::vector<ReferenceInput> inputs_of(const Value& definition) {
  std::vector<ReferenceInput> inputs;
  const Value* section = json::member(&definition, "inputs");
  if (section == nullptr || !section->is_object()) return inputs;
  for (const Member& input : section->members)
    inputs.push_back({std::string(input.key), std::string(parameter_of(input))});
  return inputs;
}

// The call that was dumped gave None for it.
bool is_absent(const Value& spec) {
  const Value* optional = json::member(&spec, "optional");
  return optional != nullptr && optional->truth &&
         json::text_of(json::member(&spec, "dtype")) == "unknown";
}

bool speaks_of(std::string_view expression, const std::vector<std::string>& names) {
  const auto tokenized = python::tokenize(expression);
  const auto* tokens = std::get_if<std::vector<python::Token>>(&tokenized);
  return tokens != nullptr &&
         std::any_of(tokens->begin(), tokens->end(), [&](const python::Token& token) {
           const std::string_view word = expression.substr(token.begin, token.end - token.begin);
           return std::find(names.begin(), names.end(), word) != names.end();
         });
}

Value without_constraints_on(const Value& definition, const std::vector<std::string>& names,
                             const RecordDraft& draft) {
  const Value* old = json::member(&definition, "constraints");
  if (old == nullptr || old->kind != json::Kind::array || names.empty()) return definition;
  std::vector<Value> kept;
  for (const Value& constraint : old->items) {
    if (!speaks_of(json::text_of(&constraint), names)) {
      kept.push_back(constraint);
    } else {
      draft.warning(constraint,
                    fmt::format("constraint \"{}\" is not carried over", constraint.text),
                    "it speaks of an input that is left out");
    }
  }
  return draft.edit.with(definition, "constraints", draft.edit.array(kept, *old));
}

// Axes that only `names` had in their shapes would have to be given for nothing.
Value without_unused_axes(const Value& before, const Value& after, const RecordDraft& draft) {
  const auto uses = [](const Value& definition, std::string_view axis) {
    for (const std::string_view section : {"inputs", "outputs"}) {
      const Value* tensors = json::member(&definition, section);
      if (tensors == nullptr) continue;
      for (const Member& one : tensors->members) {
        const Value* shape = json::member(&one.value, "shape");
        if (shape == nullptr) continue;
        for (const Value& item : shape->items) {
          if (item.text == axis) return true;
        }
      }
    }
    return false;
  };
  return with_members(after, "axes", draft, [&](const Member& axis) -> std::optional<Member> {
    const bool is_var = json::text_of(json::member(&axis.value, "type")) == "var";
    if (!is_var || !uses(before, axis.key) || uses(after, axis.key)) return axis;
    draft.info(axis.value, fmt::format("axis \"{}\" is left out: nothing uses it now", axis.key));
    return std::nullopt;
  });
}

// Leaves out the optional inputs that the dumped call did not have, where the reference can do
// without them.
Value without_absent_inputs(const Value& definition, const python::Function& function,
                            const RecordDraft& draft) {
  std::vector<std::string> dropped;
  const Value edited =
      with_members(definition, "inputs", draft, [&](const Member& one) -> std::optional<Member> {
        if (!is_absent(one.value) || !can_do_without(function, parameter_of(one))) return one;
        draft.warning(one.value, fmt::format("optional input \"{}\" is left out", one.key),
                      fmt::format("its dtype is unknown, for the call that was dumped did not have "
                                  "it, and {}() does without it",
                                  function.name));
        dropped.emplace_back(one.key);
        return std::nullopt;
      });
  const Value kept = without_constraints_on(edited, dropped, draft);
  return dropped.empty() ? kept : without_unused_axes(definition, kept, draft);
}

Value with_alias(const Value& definition, const Value& reference, const python::Function& function,
                 const RecordDraft& draft) {
  const RunAlias alias = run_alias(function, inputs_of(definition));
  if (!alias.ignored.empty()) {
    draft.warning(reference,
                  fmt::format("{}() does not take {}: run() does not hand it on", function.name,
                              join(alias.ignored, ", ")),
                  "the reference does not depend on it");
  }
  draft.info(reference,
             fmt::format("run() is added to the reference: it calls {}()", function.name));
  const std::string text = fmt::format("{}{}\n\n{}", reference.text,
                                       reference.text.ends_with('\n') ? "" : "\n", alias.text);
  return draft.edit.with(definition, "reference", draft.edit.string(text, reference));
}

bool returns_by_name(std::string_view text, const python::Function& function) {
  const std::string_view body = text.substr(0, function.end).substr(function.body_begin);
  const auto tokenized = python::tokenize(text);
  const auto* tokens = std::get_if<std::vector<python::Token>>(&tokenized);
  for (std::size_t i = 0; tokens != nullptr && i + 1 < tokens->size(); ++i) {
    const python::Token& token = (*tokens)[i];
    const bool inside = token.begin >= function.body_begin && token.begin < function.end;
    if (inside && text.substr(token.begin, token.end - token.begin) == "return" &&
        text[(*tokens)[i + 1].begin] == '{')
      return true;
  }
  return body.empty();
}

// What is written in place is an input and an output of one name, which the schema does not have.
Value with_own_output_names(const Value& definition, std::string_view text,
                            const python::Function& function, const RecordDraft& draft) {
  const Value* inputs = json::member(&definition, "inputs");
  const bool by_name = returns_by_name(text, function);
  return with_members(definition, "outputs", draft, [&](const Member& one) {
    if (json::member(inputs, one.key) == nullptr || by_name) return one;
    const std::string name = std::string(one.key) + "_out";
    draft.warning(one.value, fmt::format("output \"{}\" is called \"{}\"", one.key, name),
                  "an output has another name than the inputs: it is written beside them, not in "
                  "place");
    return Member{draft.edit.string(name, one.value).text, one.key_begin, one.value};
  });
}

Value with_run(const Value& definition, const RecordDraft& draft) {
  const Value* reference = json::member(&definition, "reference");
  if (reference == nullptr || !reference->is_string() || reference->text.empty()) return definition;
  const auto parsed = python::parse_module(reference->text);
  const auto* module = std::get_if<python::Module>(&parsed);
  if (module == nullptr) return definition;  // the record reader says why
  const auto run =
      std::find_if(module->functions.begin(), module->functions.end(),
                   [](const python::Function& f) { return f.name == "run" && !f.is_async; });
  if (run != module->functions.end())
    return with_own_output_names(definition, reference->text, *run, draft);
  const MeantFunction meant = meant_function(reference->text, *module, inputs_of(definition));
  if (meant.function == nullptr) {
    draft.error(*reference, fmt::format("the reference has no run(): {}", meant.problem),
                "name the function that computes the outputs run");
    return draft.edit.with(definition, "reference", draft.edit.broken(*reference));
  }
  const Value without = without_absent_inputs(definition, *meant.function, draft);
  const Value named = with_own_output_names(without, reference->text, *meant.function, draft);
  return with_alias(named, *reference, *meant.function, draft);
}

Value fi_trace_definition(const Survey&, const RecordDraft& draft) {
  Value value = with_imports(draft.document.value, draft);
  value = without_reported(value, "init", draft,
                           "--run-init runs it, in the sandbox of references, for a workload");
  value = without_reported(value, "check", draft,
                           "it is FlashInfer's code that judges outputs: rules do it here");
  if (json::member(&value, "reference") == nullptr) {
    draft.error(value, "the dump has no reference: definition left out",
                "\"reference\" is Python source that defines run(inputs…) in plain PyTorch");
    value = draft.edit.with(value, "reference", draft.edit.broken(value));
  }
  value = with_axis_values(value, draft);
  value = with_run(value, draft);
  return with_tidy_tensors(value, draft);
}

Value as_it_is(const Survey&, const RecordDraft& draft) { return draft.document.value; }

constexpr JsonFormat fi_trace_format{&fi_trace_kind, &fi_trace_definition, &as_it_is, &as_it_is};

}  // namespace

Imported read_fi_trace(std::vector<ForeignFile> files, const KnownRecords& known) {
  return read_json_records(std::move(files), fi_trace_format, known);
}

}  // namespace kbench
