#include "import/custom_inputs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/json.hpp"
#include "base/text.hpp"
#include "import/format.hpp"
#include "import/init_workloads.hpp"
#include "import/json_edit.hpp"
#include "problem/scalar.hpp"
#include "schema/place.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view left_out_note = "the inputs are made by the definition's code";

// The name of the function that makes inputs; "" where there is none.
std::string entry_of(const ForeignFile& file) {
  json::Memory memory;
  Diagnostics ignored;
  const json::Value value = json::parse(*file.source, 0, file.source->text.size(), memory, ignored);
  return std::string(json::text_of(json::member(&value, "custom_inputs_entrypoint")));
}

// The line with inputs of type "random" in the place of "custom", which is as long, so that places
// stay what they are; and their names.
std::string as_random(const ForeignFile& file, std::string_view line,
                      std::vector<std::string>& names) {
  std::string text(line);
  const Source source{file.source->path, text};
  json::Memory memory;
  Diagnostics ignored;
  const json::Value value = json::parse(source, 0, source.text.size(), memory, ignored);
  const json::Value* const inputs = json::member(&value, "inputs");
  if (inputs == nullptr || !inputs->is_object()) return text;
  for (const json::Member& one : inputs->members) {
    const json::Value* const type = json::member(&one.value, "type");
    if (json::text_of(type) != "custom") continue;
    names.emplace_back(one.key);
    text.replace(text.find("custom", type->begin), 6, "random");
  }
  return text;
}

// Reads one line beside its definition, as the format does.
Imported read_line(const ForeignFile& definition, const ForeignFile& file, std::string line) {
  std::vector<ForeignFile> files;
  files.push_back({definition.source, false});
  files.push_back(
      {std::make_shared<const Source>(Source{file.source->path, std::move(line)}), true});
  return read_sol_execbench(std::move(files), {});
}

std::string in_python(const ScalarValue& value) {
  const bool* const truth = std::get_if<bool>(&value);
  return truth == nullptr ? text_of(value) : *truth ? "True" : "False";
}

// {"M": 4, "eps": 1e-06}: what the function is told.
std::string told(const Definition& definition, const Workload& workload) {
  std::vector<std::string> pairs;
  for (const auto& [name, axis] : definition.axes) {
    const std::int64_t* const given = workload.axes.find(name);
    const auto length = given != nullptr ? std::optional(*given) : const_value(axis);
    if (length) pairs.push_back(fmt::format("\"{}\": {}", name, *length));
  }
  for (const auto& [name, input] : workload.inputs)
    if (const auto* const scalar = std::get_if<ScalarInput>(&input))
      pairs.push_back(fmt::format("\"{}\": {}", name, in_python(scalar->value)));
  return "{" + join(pairs, ", ") + "}";
}

std::string with_entry_call(const Definition& definition, const std::string& entry,
                            const Workload& workload, const std::vector<std::string>& names) {
  return fmt::format(
      "{}\n\ndef _kbench_found():\n    import torch\n    made = {}({}, torch.device(\"cpu\"))\n"
      "    return {{name: (\"\", made[name]) for name in [\"{}\"]}}\n",
      definition.reference, entry, told(definition, workload), join(names, "\", \""));
}

void drop_left_out_note(Diagnostics& notes, int line) {
  Diagnostics kept;
  for (const Diagnostic& note : notes.items())
    if (note.where.line != line || !note.message.starts_with(left_out_note)) kept.add(note);
  notes = std::move(kept);
}

class CustomWorkloads {
 public:
  explicit CustomWorkloads(Imported& imported) : imported_(imported) {}

  // The workloads of one file that are of `of`, whose inputs `entry` makes.
  void add(const Found<Definition>& of, const std::string& entry, std::size_t file) {
    int number = 0;
    const std::shared_ptr<const Source> source = imported_.files[file].source;
    for (const std::string_view line : split(source->text, '\n')) {
      ++number;
      std::vector<std::string> names;
      const std::string text = as_random(imported_.files[file], line, names);
      if (!names.empty()) add_line(of, entry, {file, number, text, names});
    }
  }

 private:
  struct Line {
    std::size_t file;
    int number;
    std::string text;
    std::vector<std::string> names;
  };

  void add_line(const Found<Definition>& of, const std::string& entry, const Line& line) {
    ForeignFile& file = imported_.files[line.file];
    Imported one = read_line(imported_.files[of.file], file, line.text);
    if (one.traces.empty()) return;  // something else is wrong with it, which is said
    drop_left_out_note(file.notes, line.number);
    append_at_line(file.notes, one.files[1].notes, line.number);
    Trace& trace = one.traces[0].record;
    if (const std::string why = make(of.record, entry, line, trace); !why.empty()) {
      file.notes.error({file.source->path, line.number, 1, "", ""},
                       fmt::format("{}() makes no inputs: {}: workload left out", entry, why),
                       "kbench new workload makes one");
      return;
    }
    --imported_.left_out;
    imported_.traces.push_back({std::move(trace), line.file, line.number});
  }

  std::string make(const Definition& definition, const std::string& entry, const Line& line,
                   Trace& trace) {
    std::string why;
    const std::string text = with_entry_call(definition, entry, trace.workload, line.names);
    const auto made = inputs_by_code(probe_, text, why);
    if (!made) return why;
    if (why = add_axes_of_made(*made, definition, trace.workload.axes); !why.empty()) return why;
    return add_made_inputs(probe_, {text, *made}, line.file, trace.workload, imported_);
  }

  Imported& imported_;
  ModuleProbe probe_;
};

}  // namespace

void add_custom_workloads(Imported& imported) {
  std::optional<CustomWorkloads> workloads;  // its process starts where one is needed
  const std::vector<Found<Definition>> definitions = imported.definitions;
  for (const Found<Definition>& found : definitions) {
    const std::string entry = entry_of(imported.files[found.file]);
    if (entry.empty()) continue;
    if (!workloads) workloads.emplace(imported);
    const fs::path folder = fs::path(imported.files[found.file].source->path).parent_path();
    for (std::size_t i = 0; i < imported.files.size(); ++i) {
      const fs::path path = imported.files[i].source->path;
      if (imported.files[i].wanted && path.extension() == ".jsonl" && path.parent_path() == folder)
        workloads->add(found, entry, i);
    }
  }
}

}  // namespace kbench
