#include "import/init_workloads.hpp"

#include <fmt/format.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "data/sample_workload.hpp"
#include "import/json_edit.hpp"
#include "import/made_inputs.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

constexpr int usual_length = 16;  // of an axis that init() wants to be told

// The init of the dump that a definition was made of; "" where there is none.
std::string init_of(const ForeignFile& file, std::size_t& at) {
  json::Memory memory;
  Diagnostics ignored;
  const json::Value value = json::parse(*file.source, 0, file.source->text.size(), memory, ignored);
  const json::Value* const init = json::member(&value, "init");
  if (init == nullptr || !init->is_string()) return "";
  at = init->begin;
  return std::string(init->text);
}

std::string length_for(const std::string& name, const Axis& axis) {
  return fmt::format("{}={}", name, const_value(axis).value_or(usual_length));
}

// What a parameter is given: nothing where its default will do, "?" where nothing is known for it.
std::string argument_for(const python::Parameter& parameter, const Definition& definition) {
  if (parameter.name == "device") return "device=\"cpu\"";
  const Axis* const axis = definition.axes.find(parameter.name);
  const bool is_said = axis != nullptr && (const_value(*axis) || !parameter.has_default);
  if (is_said) return length_for(parameter.name, *axis);
  return parameter.has_default ? "" : "?";
}

// The arguments of a call; a function that takes any names gets every axis.
std::vector<std::string> arguments_for(const python::Function& function,
                                       const Definition& definition, std::string& why) {
  std::vector<std::string> arguments;
  for (const python::Parameter& parameter : function.parameters) {
    if (parameter.kind == python::Parameter::Kind::var_keyword) {
      arguments.emplace_back("device=\"cpu\"");
      for (const auto& [name, axis] : definition.axes) arguments.push_back(length_for(name, axis));
      return arguments;
    }
    const std::string text = argument_for(parameter, definition);
    if (text == "?") why = fmt::format("nothing is known for its parameter {}", parameter.name);
    if (!text.empty()) arguments.push_back(text);
  }
  return arguments;
}

// The text with _kbench_found(), which calls the last function of it, the others being its helpers,
// and keeps what the definition has.
std::string with_call(const std::string& init, const Definition& definition, std::string& why) {
  const auto parsed = python::parse_module(init);
  const auto* const module = std::get_if<python::Module>(&parsed);
  if (module == nullptr || module->functions.empty()) {
    why = "it is no Python with a function";
    return "";
  }
  std::vector<std::string> names;
  for (const auto& [name, spec] : definition.inputs) names.push_back(name);
  const python::Function& function = module->functions.back();
  return fmt::format(
      "{}\n\n\ndef _kbench_found():\n    wanted = [\"{}\"]\n    made = {}({})\n"
      "    return {{name: (\"\", made[name]) for name in wanted if made.get(name) is not None}}\n",
      init, join(names, "\", \""), function.name,
      join(arguments_for(function, definition, why), ", "));
}

constexpr const char* describing_init = R"(

def run(zero):
    return _kbench_bytes({"inputs": _kbench_inputs(_kbench_found())})
)";

std::string text_of(const MadeInput& one) {
  return one.scalar ? "a number"
                    : fmt::format("{} of shape {}", info(one.dtype).name, shape_text(one.shape));
}

// "" where what is made is of the kind that the definition wants.
std::string kind_problem(const MadeInput& made, const TensorSpec& spec) {
  const bool is_it = made.scalar ? !spec.shape
                                 : spec.shape && made.dtype == spec.dtype &&
                                       made.shape.size() == spec.shape->size();
  if (is_it) return "";
  return fmt::format("it makes {} {}, where the definition has {}", made.input, text_of(made),
                     spec.shape ? fmt::format("{} with {}", info(spec.dtype).name,
                                              counted(spec.shape->size(), "axis"))
                                : "a number");
}

// Adds the lengths that give an input its shape; "" or what does not fit.
std::string add_axes_of(const MadeInput& made, const Definition& definition,
                        OrderedMap<std::int64_t>& axes) {
  const TensorSpec& spec = *definition.inputs.find(made.input);
  if (std::string why = kind_problem(made, spec); !why.empty()) return why;
  for (std::size_t i = 0; i < made.shape.size(); ++i) {
    const std::string& name = (*spec.shape)[i];
    const Axis* const axis = definition.axes.find(name);
    const std::int64_t* const known = axes.find(name);
    std::optional<std::int64_t> wanted = axis == nullptr ? std::nullopt : const_value(*axis);
    if (known != nullptr) wanted = *known;
    if (wanted.value_or(made.shape[i]) != made.shape[i])
      return fmt::format("it makes {} of shape {}, where {} is {}", made.input,
                         shape_text(made.shape), name, *wanted);
    if (!wanted) axes[name] = made.shape[i];
  }
  return "";
}

std::optional<Trace> workload_by_init(ModuleProbe& probe, const std::string& init,
                                      const Found<Definition>& of, Imported& imported,
                                      std::string& why) {
  const Definition& definition = of.record;
  const std::string text = with_call(init, definition, why);
  if (!why.empty()) return std::nullopt;
  const auto made = inputs_by_code(probe, text, why);
  if (!made) return std::nullopt;
  OrderedMap<std::int64_t> axes;
  if (why = add_axes_of_made(*made, definition, axes); !why.empty()) return std::nullopt;
  Trace trace;
  trace.definition = definition.name;
  // Other axes, and inputs that init() does not make, are chosen as by kbench new workload.
  trace.workload = sample_workload(definition, axes);
  trace.workload.uuid = made_uuid(definition);
  why = add_made_inputs(probe, {text, *made}, of.file, trace.workload, imported);
  return why.empty() ? std::optional(trace) : std::nullopt;
}

// What was said of an init that was not run.
void drop_note(Diagnostics& notes) {
  Diagnostics kept;
  for (const Diagnostic& note : notes.items())
    if (!note.message.starts_with("\"init\" is not carried over")) kept.add(note);
  notes = std::move(kept);
}

}  // namespace

std::optional<std::vector<MadeInput>> inputs_by_code(ModuleProbe& probe, const std::string& text,
                                                     std::string& why) {
  const auto said = described(probe, text, std::string(describing_inputs) + describing_init, why);
  return said ? made_inputs(*said, why) : std::nullopt;
}

std::string add_axes_of_made(const std::vector<MadeInput>& inputs, const Definition& definition,
                             OrderedMap<std::int64_t>& axes) {
  for (const MadeInput& one : inputs)
    if (std::string why = add_axes_of(one, definition, axes); !why.empty()) return why;
  return "";
}

void add_init_workloads(Imported& imported) {
  ModuleProbe probe;
  for (const Found<Definition>& found : imported.definitions) {
    ForeignFile& file = imported.files[found.file];
    std::size_t at = 0;
    const std::string init = init_of(file, at);
    if (init.empty()) continue;
    std::string why;
    auto trace = workload_by_init(probe, init, found, imported, why);
    drop_note(file.notes);
    if (trace) {
      imported.traces.push_back({std::move(*trace), found.file, found.line});
      file.notes.info(locate(*file.source, at), "a workload is made of what init() makes");
    } else {
      file.notes.warning(locate(*file.source, at), "no workload is made by init(): " + why,
                         "kbench new workload makes one");
    }
  }
}

}  // namespace kbench
