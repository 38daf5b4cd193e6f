// GPU MODE's problems (reference-kernels): a folder with task.yml, which lists files and the
// arguments of generate_input(), and reference.py with ref_kernel(); an answer has custom_kernel().
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/text.hpp"
#include "base/words.hpp"
#include "import/format.hpp"
#include "import/gpu_mode_axes.hpp"
#include "import/gpu_mode_file.hpp"
#include "import/gpu_mode_task.hpp"
#include "import/python_answer.hpp"
#include "schema/read.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view gpu_mode_op_type = "gpu_mode";
constexpr std::size_t called_cases = 3;  // with which ref_kernel() is run

// Whether a folder with a task is that of the answer, or above it.
bool belongs_to_a_task(const std::vector<ForeignFile>& files, const fs::path& answer) {
  return std::any_of(files.begin(), files.end(), [&](const ForeignFile& one) {
    const fs::path path = one.source->path;
    return path.filename() == "task.yml" &&
           answer.string().starts_with((path.parent_path() / "").string());
  });
}

// A file of a task's folder that is none of the task's own.
bool is_meant_for_an_answer(const std::vector<ForeignFile>& files, const fs::path& path) {
  constexpr std::string_view own[] = {"reference.py", "task.py", "utils.py", "eval.py",
                                      "template.py"};
  return belongs_to_a_task(files, path) && !is_one_of(path.filename().string(), own);
}

bool has_wanted_answer(const std::vector<ForeignFile>& files) {
  return std::any_of(files.begin(), files.end(), [](const ForeignFile& one) {
    return one.wanted && one.source->path.ends_with(".py");
  });
}

void tell_what_is_lost(const Task& task, ForeignFile& one) {
  const bool has_own = defines_function(task.reference, "check_implementation");
  const std::size_t at = task.reference.find("tol=");
  if (has_own) {
    one.notes.warning(locate(*one.source, 0), "check_implementation() is not carried over",
                      "answers are judged by a rule; check() beside run() is for answers that "
                      "are not unique: docs/verdict.md");
  } else if (at != std::string::npos) {
    one.notes.warning(locate(*one.source, 0),
                      "the tolerance of check_implementation is not carried over",
                      "in a file for --config: definition_config: {NAME: {atol: …, rtol: …}}");
  }
}

class GpuModeReader {
 public:
  GpuModeReader(std::vector<ForeignFile> files, const KnownRecords& known) : known_(known) {
    out_.files = std::move(files);
  }

  Imported read() {
    for (std::size_t i = 0; i < out_.files.size(); ++i)
      if (path_of(i).filename() == "task.yml") add_task(i);
    for (std::size_t i = 0; i < out_.files.size(); ++i)
      if (path_of(i).extension() == ".py" && out_.files[i].wanted) add_answer(i);
    return std::move(out_);
  }

 private:
  fs::path path_of(std::size_t file) const { return out_.files[file].source->path; }

  void leave_out(std::size_t file, std::size_t at, std::string message, std::string hint = "") {
    ForeignFile& one = out_.files[file];
    one.notes.error(locate(*one.source, at), std::move(message), std::move(hint));
    ++out_.left_out;
  }

  void add_task(std::size_t file) {
    ++out_.readable;
    TaskDefect said;
    const auto task = read_task(out_.files, file, said);
    if (!task) return leave_out(file, said.at, "is left out: " + said.why);
    if (!out_.files[file].wanted && !has_wanted_answer(out_.files)) return;
    const std::string text = task_text(task->modules, task->reference);
    std::string why;
    const auto buffers = find_buffers(text, task->arguments, why);
    if (!buffers) return leave_out(file, 0, "is left out: " + why);
    run_cases(file, *task, text, *buffers);
  }

  // Calls the task with all of its arguments. What fails with the first ones fails with all.
  void run_cases(std::size_t file, const Task& task, const std::string& text,
                 const std::vector<std::string>& buffers) {
    std::vector<TaskCase> cases;
    std::vector<TaskArguments> arguments;
    std::string why;
    for (const TaskArguments& one : task.arguments) {
      const bool is_called = cases.size() < called_cases;
      const bool is_slow = why == too_long;  // so are those behind it, which are larger
      if (!is_slow) why.clear();
      auto found =
          is_slow ? std::nullopt
                  : run_case(probe_, text, one.python, {is_called ? "outputs" : "", buffers}, why);
      if (!found && cases.empty()) return leave_out(file, 0, "is left out: " + why);
      if (!found) {
        leave_out(file, 0, fmt::format("the workload {} is left out: {}", one.python, why));
        continue;
      }
      cases.push_back(std::move(*found));
      arguments.push_back(one);
    }
    if (auto one = run_case(probe_, text, task.spread.python, {"outputs", buffers}, why)) {
      cases.insert(cases.begin(), std::move(*one));
      arguments.insert(arguments.begin(), task.spread);
    }
    make_records(file, task, text, cases, arguments);
  }

  // Tensors of data that ref_kernel() reads in none of the first tests, which are small.
  std::optional<std::vector<std::string>> find_buffers(const std::string& text,
                                                       const std::vector<TaskArguments>& arguments,
                                                       std::string& why) {
    std::optional<std::vector<std::string>> unread;
    for (std::size_t i = 0; i < std::min(arguments.size(), called_cases); ++i) {
      const auto found = run_case(probe_, text, arguments[i].python, {"buffers", {}}, why);
      if (!found) return std::nullopt;
      std::vector<std::string> names;
      for (const TaskTensor& one : found->buffers)
        if (!unread || std::find(unread->begin(), unread->end(), one.name) != unread->end())
          names.push_back(one.name);
      unread = std::move(names);
    }
    return unread;
  }

  void make_records(std::size_t file, const Task& task, const std::string& text,
                    const std::vector<TaskCase>& cases,
                    const std::vector<TaskArguments>& arguments) {
    std::string why;
    const auto shaped = shape_task(cases, arguments, why);
    if (!shaped) return leave_out(file, 0, "is left out: " + why);
    Definition definition = shaped->definition;
    const std::string folder =
        tidy_name(fs::absolute(path_of(file)).parent_path().filename().string());
    definition.name = fmt::format("{}_{}", gpu_mode_op_type, folder);
    definition.op_type = gpu_mode_op_type;
    definition.description = std::string(trim(task.description));
    std::vector<std::string> inputs;
    for (const auto& [name, spec] : definition.inputs) inputs.push_back(name);
    definition.reference = text + task_run(inputs, "ref_kernel", shaped->data);
    keep_task(file, task, definition, shaped->data);
    if (!out_.files[file].wanted) return;
    tell_what_is_lost(task, out_.files[file]);
    std::vector<std::string> buffers;
    for (const TaskTensor& one : cases.front().buffers) buffers.push_back(one.name);
    const std::size_t first = arguments.size() > 1 && arguments[0].python == task.spread.python;
    for (std::size_t i = first; i < cases.size(); ++i) {
      Trace trace;
      trace.definition = definition.name;
      trace.workload.axes = shaped->lengths[i];
      trace.workload.uuid = made_uuid(definition, arguments[i].python);
      why = add_made_inputs(probe_,
                            {task_making(text, arguments[i].python, buffers), cases[i].inputs},
                            file, trace.workload, out_);
      if (!why.empty()) {
        leave_out(file, 0,
                  fmt::format("the workload {} is left out: {}", arguments[i].python, why));
        continue;
      }
      out_.traces.push_back({std::move(trace), file, 0});
    }
    Diagnostics none;
    definition = *read_text<Definition>({"", to_json(definition, Dump::full)}, {}, none);
    out_.definitions.push_back({std::move(definition), file, 0});
  }

  // One that only explains an answer is in the trace set already.
  void keep_task(std::size_t file, const Task& task, const Definition& definition,
                 const std::string& data) {
    const bool is_known = out_.files[file].wanted || known_.definition(definition.name) != nullptr;
    if (is_known) tasks_[definition.name] = {path_of(file).parent_path(), task.modules, data};
  }

  struct KnownTask {
    fs::path folder;
    PythonModules modules;
    std::string data;
  };

  // An answer is for the task in its folder or in one above it.
  const std::pair<const std::string, KnownTask>* task_of(const fs::path& answer) const {
    for (fs::path folder = answer.parent_path();; folder = folder.parent_path()) {
      for (const auto& one : tasks_)
        if (one.second.folder == folder) return &one;
      if (folder.empty() || folder == folder.parent_path()) return nullptr;
    }
  }

  void note_no_answer(std::size_t file) {
    if (is_meant_for_an_answer(out_.files, path_of(file)))
      leave_out(file, 0, "is left out: it defines no custom_kernel()",
                "an answer is a function custom_kernel(data)");
  }

  void add_answer(std::size_t file) {
    const std::string& text = out_.files[file].source->text;
    if (!defines_function(text, "custom_kernel")) return note_no_answer(file);
    ++out_.readable;
    const auto* const task = task_of(path_of(file));
    if (task == nullptr && belongs_to_a_task(out_.files, path_of(file)))
      return leave_out(file, 0, "is left out with its task");
    if (task == nullptr)
      return leave_out(file, 0, "is left out: no task of this import is in its folder",
                       "an answer is imported with its task");
    const Definition& definition = *find_definition(out_, known_, task->first);
    std::vector<std::string> inputs;
    for (const auto& [name, spec] : definition.inputs) inputs.push_back(name);
    Solution solution;
    const fs::path folder = path_of(file).parent_path();
    solution.author = folder == task->second.folder ? std::string(gpu_mode_op_type)
                                                    : tidy_name(folder.filename().string());
    solution.name =
        fmt::format("{}_{}_{}", solution.author, tidy_name(path_of(file).stem().string()),
                    definition.name.substr(gpu_mode_op_type.size() + 1));
    solution.definition = definition.name;
    solution.description = "An answer to GPU MODE's task.";
    const bool is_triton = imports_module(text, "triton");
    solution.spec.language = is_triton ? Language::triton : Language::python;
    solution.spec.target_hardware = {is_triton ? "cuda" : "cpu"};
    solution.spec.entry_point = "main.py::run";
    solution.spec.destination_passing_style = false;
    solution.sources = {
        {"main.py", text + task_run(inputs, "custom_kernel", task->second.data), {}}};
    for (const auto& [name, source] : task->second.modules)
      solution.sources.push_back({name + ".py", source, {}});
    note_what_fails_in_python(out_.files[file]);
    out_.solutions.push_back({std::move(solution), file, 0});
  }

  const KnownRecords& known_;
  Imported out_;
  ModuleProbe probe_;
  std::map<std::string, KnownTask> tasks_;  // by the names of Definitions
};

}  // namespace

Imported read_gpu_mode(std::vector<ForeignFile> files, const KnownRecords& known) {
  return GpuModeReader(std::move(files), known).read();
}

}  // namespace kbench
