// KernelBench: a problem is a module with a class Model, get_inputs() and get_init_inputs(), an
// answer one with a class ModelNew. A problem becomes a Definition whose inputs are the arguments
// of forward() and the parameters and buffers that __init__() makes, and a workload with these.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text.hpp"
#include "import/format.hpp"
#include "import/kernelbench_model.hpp"
#include "import/python_answer.hpp"
#include "schema/read.hpp"
#include "schema/to_json.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kernelbench_op_type = "kernelbench";

// Where a statement `class NAME` begins, among those of the module's top level.
std::optional<std::size_t> find_class(std::string_view text, const python::Module& module,
                                      std::string_view name) {
  for (const python::Statement& statement : module.statements) {
    if (statement.keyword != "class") continue;
    const std::string_view all = text.substr(statement.begin, statement.end - statement.begin);
    const std::size_t word = all.find("class ");
    const std::string_view rest = trim(all.substr(word + 6));
    const bool is_it = rest.starts_with(name) && rest.size() > name.size() &&
                       (rest[name.size()] == '(' || rest[name.size()] == ':');
    if (is_it) return statement.begin + word;
  }
  return std::nullopt;
}

// The number behind a word: 2 of "level_2_problem_19" and "level".
std::string number_behind(std::string_view text, std::string_view word) {
  const std::size_t at = text.find(word);
  if (at == text.npos) return "";
  text.remove_prefix(at + word.size());
  if (text.starts_with('_')) text.remove_prefix(1);
  return std::string(text.substr(0, text.find_first_not_of("0123456789")));
}

struct ProblemPlace {
  std::string stem;    // of its file, tidied: "19_relu"
  std::string level;   // "1" below a folder level1, else ""
  std::string number;  // "19"
};

ProblemPlace problem_place(const fs::path& file) {
  ProblemPlace place;
  place.stem = tidy_name(file.stem().string());
  place.number = place.stem.substr(0, place.stem.find_first_not_of("0123456789"));
  place.level = number_behind(lower(file.parent_path().filename().string()), "level");
  return place;
}

// Lengths become axes of their names: d4096. The leading one of all arguments and outputs, where it
// is what the module calls its batch size, differs from workload to workload.
class AxesOfModel {
 public:
  AxesOfModel(const KernelBenchModel& model, Definition& definition) : definition_(definition) {
    const auto leads = [&](const std::vector<std::int64_t>& shape) {
      return !shape.empty() && shape[0] == model.batch_size;
    };
    bool all_lead = model.batch_size.has_value();
    for (const MadeInput& one : model.inputs)
      if (one.key.empty() && !one.scalar) all_lead = all_lead && leads(one.shape);
    for (const ModelOutput& one : model.outputs) all_lead = all_lead && leads(one.shape);
    has_batch_ = all_lead;
    if (has_batch_) definition_.axes["batch_size"] = AxisVar{};
  }

  bool has_batch() const { return has_batch_; }

  std::vector<std::string> of(const std::vector<std::int64_t>& shape, bool is_of_a_call) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (i == 0 && has_batch_ && is_of_a_call) {
        names.emplace_back("batch_size");
        continue;
      }
      names.push_back(fmt::format("d{}", shape[i]));
      definition_.axes[names.back()] = AxisConst{.value = shape[i]};
    }
    return names;
  }

 private:
  Definition& definition_;
  bool has_batch_ = false;
};

std::string problem_name(const ProblemPlace& place) {
  const std::string level = place.level.empty() ? "" : "l" + place.level + "_";
  return fmt::format("{}_{}{}", kernelbench_op_type, level, place.stem);
}

Definition definition_of_model(const ProblemPlace& place, const KernelBenchModel& model,
                               const std::string& text) {
  Definition definition;
  definition.name = problem_name(place);
  definition.op_type = kernelbench_op_type;
  if (!place.level.empty()) definition.tags = {"level" + place.level};
  AxesOfModel axes(model, definition);
  for (const MadeInput& one : model.inputs) {
    TensorSpec spec{std::nullopt, one.dtype, {}};
    if (!one.scalar) spec.shape = axes.of(one.shape, one.key.empty());
    spec.description = one.key.empty() ? "An argument of forward()." : one.key + " of the model.";
    definition.inputs[one.input] = std::move(spec);
  }
  for (const ModelOutput& one : model.outputs)
    definition.outputs[one.name] = {axes.of(one.shape, true), one.dtype, "What forward() returns."};
  std::int64_t longest = 0;
  for (auto& [name, axis] : definition.axes) {
    longest = std::max(longest, const_value(axis).value_or(0));
    std::visit([](auto& one) { one.description = "A length of the problem."; }, axis);
  }
  if (longest > 1) definition.name += fmt::format("_d{}", longest);
  definition.description = fmt::format("KernelBench's problem {}.", place.stem);
  definition.reference = kernelbench_reference(text, model);
  return definition;
}

// A record that knows which of its fields are given: all of them.
template <class Record>
Record whole(const Record& record) {
  Diagnostics problems;
  return *read_text<Record>({"", to_json(record, Dump::full)}, {}, problems);
}

class KernelBenchReader {
 public:
  KernelBenchReader(std::vector<ForeignFile> files, const KnownRecords& known) : known_(known) {
    out_.files = std::move(files);
  }

  Imported read() {
    for (std::size_t i = 0; i < out_.files.size(); ++i) tell_kind(i);
    for (const std::size_t file : problems_) add_problem(file);
    for (const std::size_t file : answers_) add_answer(file);
    return std::move(out_);
  }

 private:
  ForeignFile& file_at(std::size_t file) { return out_.files[file]; }

  void leave_out(std::size_t file, std::size_t at, std::string message, std::string hint) {
    file_at(file).notes.error(locate(*file_at(file).source, at), std::move(message),
                              std::move(hint));
    ++out_.left_out;
  }

  void tell_kind(std::size_t file) {
    if (!file_at(file).wanted) return;
    const std::string& text = file_at(file).source->text;
    const auto parsed = python::parse_module(text);
    if (const auto* error = std::get_if<python::SyntaxError>(&parsed))
      return leave_out(file, error->offset, "is no Python: " + error->message, "");
    const auto& module = std::get<python::Module>(parsed);
    ++out_.readable;
    if (find_class(text, module, "ModelNew")) return answers_.push_back(file);
    if (find_class(text, module, "Model")) return problems_.push_back(file);
    ++out_.unknown;
    leave_out(file, 0, "defines neither a class Model nor a class ModelNew: it is left out",
              "a problem has Model, get_inputs() and get_init_inputs(), an answer ModelNew");
  }

  void add_problem(std::size_t file) {
    const Source& source = *file_at(file).source;
    const auto module = std::get<python::Module>(python::parse_module(source.text));
    const std::size_t at = *find_class(source.text, module, "Model");
    if (!has_function(module, "get_inputs"))
      return leave_out(file, at, "is left out: it defines no get_inputs()",
                       "a problem has Model, get_inputs() and get_init_inputs()");
    std::string why;
    const auto model = describe_model(probe_, source.text, why);
    if (!model) return leave_out(file, at, "is left out: " + why, "");
    const ProblemPlace place = problem_place(source.path);
    Definition definition = definition_of_model(place, *model, source.text);
    Trace trace;
    trace.definition = definition.name;
    trace.workload.uuid = made_uuid(definition);
    if (definition.axes.contains("batch_size"))
      trace.workload.axes["batch_size"] = *model->batch_size;
    why = add_made_inputs(probe_, {kernelbench_making(source.text), model->inputs}, file,
                          trace.workload, out_);
    if (!why.empty())
      return leave_out(file, at, "is left out: its inputs are not made: " + why, "");
    places_[definition.name] = place;
    out_.definitions.push_back({whole(definition), file, 0});
    out_.traces.push_back({std::move(trace), file, 0});
  }

  // Whether an answer's file is for a problem: "level_1_problem_19_sample_0_kernel" for number 19
  // of level 1, "19_relu_new" for 19_relu.
  static bool answers(const fs::path& file, const ProblemPlace& problem) {
    const std::string stem = tidy_name(file.stem().string());
    const std::string level = number_behind(stem, "level"), number = number_behind(stem, "problem");
    if (!number.empty())
      return number == problem.number &&
             (level.empty() || problem.level.empty() || level == problem.level);
    return stem.starts_with(problem.stem);
  }

  // Every Definition that was made of a problem, in this import or an earlier one.
  std::vector<std::pair<std::string, ProblemPlace>> all_problems() const {
    std::vector<std::pair<std::string, ProblemPlace>> all(places_.begin(), places_.end());
    for (const Definition& one : known_.definitions) {
      if (one.op_type != kernelbench_op_type || places_.contains(one.name)) continue;
      std::string_view name = one.name;
      name.remove_prefix(std::min(name.size(), kernelbench_op_type.size() + 1));
      const bool has_level = name.size() > 2 && name[0] == 'l' && name[2] == '_';
      ProblemPlace place;
      if (has_level) place.level = name.substr(1, 1);
      place.stem = name.substr(has_level ? 3 : 0);
      place.stem.resize(std::min(place.stem.size(), place.stem.rfind("_d")));
      place.number = place.stem.substr(0, place.stem.find_first_not_of("0123456789"));
      all.emplace_back(one.name, std::move(place));
    }
    return all;
  }

  void add_answer(std::size_t file) {
    const fs::path path = file_at(file).source->path;
    std::vector<std::string> meant;
    for (const auto& [name, place] : all_problems())
      if (answers(path, place)) meant.push_back(name);
    if (meant.size() != 1)
      return leave_out(file, 0,
                       meant.empty() ? "is left out: no problem is known that it answers"
                                     : "is left out: it may answer " + join(meant, " and "),
                       "its name has level_L_problem_N, or begins as the problem's");
    note_what_fails_in_python(file_at(file));
    const Definition& definition = *find_definition(out_, known_, meant[0]);
    const std::string author = tidy_name(path.parent_path().filename().string());
    Solution solution;
    solution.author = author.empty() ? std::string(kernelbench_op_type) : author;
    solution.name = solution.author + "_" + tidy_name(path.stem().string());
    solution.definition = definition.name;
    solution.description = "An answer of KernelBench.";
    solution.spec.language = is_triton(file) ? Language::triton : Language::python;
    solution.spec.target_hardware = {is_triton(file) ? "cuda" : "cpu"};
    solution.spec.entry_point = "main.py::run";
    solution.spec.destination_passing_style = false;
    solution.sources = {
        {"main.py", kernelbench_answer(file_at(file).source->text, definition), {}},
        {fmt::format("{}.py", kernelbench_problem_module), definition.reference, {}}};
    out_.solutions.push_back({std::move(solution), file, 0});
  }

  bool is_triton(std::size_t file) {
    return file_at(file).source->text.find("import triton") != std::string::npos;
  }

  const KnownRecords& known_;
  Imported out_;
  ModuleProbe probe_;
  std::vector<std::size_t> problems_, answers_;  // files
  std::map<std::string, ProblemPlace> places_;   // of Definitions
};

}  // namespace

Imported read_kernelbench(std::vector<ForeignFile> files, const KnownRecords& known) {
  return KernelBenchReader(std::move(files), known).read();
}

}  // namespace kbench
