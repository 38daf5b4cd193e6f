#include "cli/import/settle.hpp"

#include <fmt/format.h>

#include <map>
#include <system_error>
#include <tuple>

#include "base/file.hpp"
#include "problem/bind.hpp"
#include "schema/dtype.hpp"
#include "schema/place.hpp"
#include "schema/to_json.hpp"
#include "validate/further.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Reason that a name cannot be a folder or a file of the layout, "" where it can.
std::string name_problem(std::string_view noun, const std::string& name) {
  constexpr std::size_t longest = 200;  // bytes: a file system takes 255, with an extension
  const bool bad = name.find('/') != std::string::npos || name.find('\0') != std::string::npos ||
                   name == "." || name == ".." || name.size() > longest;
  return bad ? fmt::format("the {} \"{}\" cannot be the name of a file", noun, name) : "";
}

// File at a place of the trace set where another shall be written.
enum class There { nothing, same, other };

There look(const fs::path& path, std::string_view content) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path, error))) return There::nothing;
  if (!fs::is_regular_file(path, error)) return There::other;
  return read_file(path) == content ? There::same : There::other;
}

// ---- files of tensors that workloads name, wherever their paths begin ----

struct WantedTensor {
  std::string input;
  DType dtype = DType::float32;
  MaybeShape shape;
};

struct BlobFile {
  fs::path file;
  std::string problem;  // reason that it cannot be used, "" where it can
  std::string hint;
};

// Looks for a file in the folder of `record_file` and in each folder above it up to `top`, by which
// a path may begin; the first that is there has to hold the tensor.
BlobFile find_blob(const fs::path& top, const std::string& record_file,
                   const SafetensorsInput& source, const WantedTensor& wanted) {
  std::error_code error;
  for (fs::path folder = fs::absolute(record_file).lexically_normal().parent_path();;
       folder = folder.parent_path()) {
    const fs::path file = folder / source.path;
    if (fs::is_regular_file(file, error)) {
      BlobProblem problem = blob_problem(folder, wanted.input, source, wanted.shape);
      if (problem.message.empty())
        problem.message = blob_dtype_problem(folder, wanted.input, source, wanted.dtype);
      return {file, std::move(problem.message), std::move(problem.hint)};
    }
    if (folder == top || folder == folder.parent_path()) break;
  }
  return {
      fs::path(source.path), fmt::format("the file {} is not there", source.path),
      "its path is looked up in the folder of the workload and in those above it, up to the one "
      "that is imported"};
}

bool same_content(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (!fs::is_regular_file(a, error) || fs::file_size(a, error) != fs::file_size(b, error))
    return false;
  return read_file(a) == read_file(b);
}

class Settler {
 public:
  Settler(Imported& imported, const KnownRecords& known, const fs::path& root)
      : imported_(imported), known_(known), root_(root) {
    for (const auto& [name, definition] : known.definitions) definitions_[name] = &definition;
    for (const auto& [name, solution] : known.solutions) solutions_[name] = &solution;
  }

  ImportPlan run() {
    for (const auto& found : imported_.definitions) add_definition(found);
    for (const auto& found : imported_.solutions) add_solution(found);
    for (auto& found : imported_.traces) add_trace(found);
    report_dangling();
    leave_out_existing();
    return std::move(plan_);
  }

 private:
  template <class Record>
  Where place(const Found<Record>& found, std::string_view pointer) const {
    return Place(*imported_.files[found.file].source, found.line).value(pointer);
  }

  template <class Record>
  void leave_out(const Found<Record>& found, std::string_view pointer, std::string message,
                 std::string hint = "") {
    imported_.files[found.file].notes.error(place(found, pointer), std::move(message),
                                            std::move(hint));
    ++imported_.left_out;
  }

  // Tells whether this name is taken, which is reported unless the records are the same.
  template <class Record>
  bool is_taken(const Found<Record>& found, std::string_view noun, const fs::path& path,
                const std::string& content) {
    auto& seen = seen_[std::string(noun)];
    const auto [first, is_new] =
        seen.try_emplace(found.record.name, std::pair{found.file, content});
    if (!is_new) {
      if (first->second.second == content) return true;
      leave_out(found, "/name", fmt::format("another {} is called \"{}\"", noun, found.record.name),
                fmt::format("it is in {}; rename one of them",
                            imported_.files[first->second.first].source->path));
      return true;
    }
    const There there = look(root_ / path, content);
    const bool elsewhere = there == There::nothing && is_known(found.record);
    if (there == There::other || elsewhere) {
      leave_out(found, "/name",
                elsewhere ? fmt::format("{} has a {} \"{}\" already, in another file",
                                        root_.string(), noun, found.record.name)
                          : fmt::format("{} is there already, with other content",
                                        (root_ / path).string()),
                "nothing is overwritten: remove it, or import into another folder");
      return true;
    }
    return false;
  }

  bool is_known(const Definition& definition) const {
    return known_.definitions.contains(definition.name);
  }
  bool is_known(const Solution& solution) const { return known_.solutions.contains(solution.name); }

  template <class Record>
  bool has_good_names(const Found<Record>& found,
                      std::initializer_list<std::pair<std::string_view, std::string>> names) {
    for (const auto& [noun, name] : names) {
      std::string problem = name_problem(noun, name);
      if (problem.empty()) continue;
      leave_out(found, fmt::format("/{}", noun), std::move(problem), "rename it");
      return false;
    }
    return true;
  }

  void add_definition(const Found<Definition>& found) {
    const Definition& record = found.record;
    if (!has_good_names(found, {{"op_type", record.op_type}, {"name", record.name}})) return;
    const fs::path path = fs::path("definitions") / record.op_type / (record.name + ".json");
    std::string content = to_json(record, Dump::set, 2) + "\n";
    if (is_taken(found, "definition", path, content)) {
      // Records that come with it are not meant for the definition that is there.
      const auto known = known_.definitions.find(record.name);
      const auto mine = definitions_.find(record.name);
      if (known != known_.definitions.end() && mine != definitions_.end() &&
          mine->second == &known->second)
        definitions_.erase(mine);
      return;
    }
    definitions_[record.name] = &record;
    plan_.files.push_back({Part::definitions, path, std::move(content), 1, found.file});
  }

  void add_solution(const Found<Solution>& found) {
    const Solution& record = found.record;
    const Definition* definition = definition_of(found, record.definition, "solution");
    if (definition == nullptr ||
        !has_good_names(found, {{"author", record.author}, {"name", record.name}}))
      return;
    const fs::path path = fs::path("solutions") / record.author / definition->op_type /
                          definition->name / (record.name + ".json");
    std::string content = to_json(record, Dump::full, 2) + "\n";
    if (is_taken(found, "solution", path, content)) return;
    solutions_[record.name] = &record;
    plan_.files.push_back({Part::solutions, path, std::move(content), 1, found.file});
  }

  void add_trace(Found<Trace>& found) {
    const Definition* definition = definition_of(found, found.record.definition, "record");
    if (definition == nullptr) return;
    if (is_workload_trace(found.record)) {
      add_workload(found, *definition);
    } else {
      add_evaluated(found, *definition);
    }
  }

  void add_workload(Found<Trace>& found, const Definition& definition) {
    Workload& workload = found.record.workload;
    const std::string as_read = to_json(found.record, Dump::full);
    const auto [first, is_new] =
        uuids_.try_emplace({definition.name, workload.uuid}, found.line, as_read);
    if (!is_new) {
      if (first->second.second != as_read)
        leave_out(found, "/workload/uuid",
                  fmt::format("another workload has the uuid \"{}\"", workload.uuid));
      return;
    }
    Diagnostics problems;
    check_workload(found, definition, problems);
    if (problems.errors() == 0) settle_blobs(found, definition, true, problems);
    const bool good = problems.errors() == 0;
    imported_.files[found.file].notes.append(std::move(problems));
    if (!good) {
      ++imported_.left_out;
      return;
    }
    add_line(Part::workloads,
             fs::path("workloads") / definition.op_type / (definition.name + ".jsonl"), found);
  }

  // Finds the errors that `kbench validate` finds in it.
  void check_workload(const Found<Trace>& found, const Definition& definition,
                      Diagnostics& problems) const {
    const Workload& workload = found.record.workload;
    const Place line(*imported_.files[found.file].source, found.line);
    for (const auto& [axis, length] : workload.axes) {
      if (length <= 0)
        problems.error(line.value("/workload/axes/" + pointer_step(axis)),
                       fmt::format("axis {} has the length {}", axis, length));
    }
    for (const auto& [name, spec] : definition.inputs) {
      const InputSpec* source = workload.inputs.find(name);
      if (!spec.shape && source != nullptr && std::holds_alternative<RandomInput>(*source))
        problems.error(line.value("/workload/inputs/" + pointer_step(name)),
                       fmt::format("input {} is random, but it is a number", name),
                       R"(give it: {"type": "scalar", "value": …})");
    }
    bind(definition, workload, line, problems);
  }

  // Finds the files of tensors, and names them by where they will be. Files that are not there are
  // reported if they are `needed`.
  void settle_blobs(Found<Trace>& found, const Definition& definition, bool needed,
                    Diagnostics& problems) {
    const Place line(*imported_.files[found.file].source, found.line);
    const Shapes shapes = shapes_of(definition, definition.inputs, found.record.workload.axes);
    for (std::size_t i = 0; i < shapes.shapes.size(); ++i) {
      const auto& [name, spec] = definition.inputs.items[i];
      const InputSpec* given = found.record.workload.inputs.find(name);
      const auto* stored = given == nullptr ? nullptr : std::get_if<SafetensorsInput>(given);
      if (stored == nullptr) continue;
      const BlobFile blob = is_made(*stored)
                                ? BlobFile{stored->path, "", ""}
                                : find_blob(imported_.top, imported_.files[found.file].source->path,
                                            *stored, {name, spec.dtype, shapes.shapes[i]});
      const fs::path path =
          fs::path("blob/workloads") / definition.op_type / definition.name / blob.file.filename();
      const std::string problem = blob.problem.empty() ? plan_blob(blob.file, path) : blob.problem;
      if (problem.empty()) {
        std::get<SafetensorsInput>(found.record.workload.inputs[name]).path = path.string();
      } else if (needed) {
        problems.error(line.value("/workload/inputs/" + pointer_step(name)), problem, blob.hint);
      }
    }
  }

  // Tells whether the import itself wrote the file.
  bool is_made(const SafetensorsInput& stored) const {
    return imported_.made && fs::path(stored.path).parent_path() == imported_.made->path();
  }

  // Plans a copy; "" when the file can be copied there.
  std::string plan_blob(const fs::path& from, const fs::path& path) {
    const auto [first, is_new] = blobs_.try_emplace(path.string(), from);
    if (!is_new)
      return first->second == from || same_content(first->second, from)
                 ? ""
                 : fmt::format("another file of tensors is called {}", path.filename().string());
    std::error_code error;
    if (!fs::exists(root_ / path, error)) {
      plan_.blobs.push_back({from, path});
    } else if (!same_content(root_ / path, from)) {
      blobs_.erase(first);
      return fmt::format("{} is there already, with other content", (root_ / path).string());
    }
    return "";
  }

  void add_evaluated(Found<Trace>& found, const Definition& definition) {
    Trace& trace = found.record;
    if (!trace.solution || !trace.evaluation) {
      leave_out(found, "",
                trace.solution ? "a solution without an evaluation is no trace"
                               : "an evaluation without a solution is no trace");
      return;
    }
    const auto solution = solutions_.find(*trace.solution);
    if (solution == solutions_.end() || solution->second->definition != definition.name) {
      note_dangling(found, "solution", *trace.solution, "record");
      return;
    }
    Diagnostics ignored;
    settle_blobs(found, definition, false, ignored);
    add_line(Part::traces,
             fs::path("traces") / solution->second->author / definition.op_type /
                 (definition.name + ".jsonl"),
             found);
  }

  void add_line(Part part, const fs::path& path, const Found<Trace>& found) {
    const auto [row, is_new] = lines_.try_emplace(path.string(), plan_.files.size());
    if (is_new) plan_.files.push_back({part, path, "", 0, found.file});
    PlannedFile& file = plan_.files[row->second];
    file.content += to_json(found.record, Dump::full) + "\n";
    ++file.records;
  }

  // ---- records of what is not there: said once a file ----

  template <class Record>
  const Definition* definition_of(const Found<Record>& found, const std::string& name,
                                  std::string_view noun) {
    const auto definition = definitions_.find(name);
    if (definition != definitions_.end()) return definition->second;
    note_dangling(found, "definition", name, noun);
    return nullptr;
  }

  template <class Record>
  void note_dangling(const Found<Record>& found, const std::string& what, const std::string& name,
                     std::string_view noun) {
    Dangling& dangling = dangling_[{found.file, what, name}];
    if (dangling.count++ == 0) {
      dangling.line = found.line;
      dangling.noun = noun;
    }
    ++imported_.left_out;
  }

  void report_dangling() {
    for (const auto& [key, dangling] : dangling_) {
      const auto& [file, what, name] = key;
      ForeignFile& of = imported_.files[file];
      of.notes.error(Place(*of.source, dangling.line).value("/" + what),
                     fmt::format("{} {}{} left out: {} \"{}\" was not carried over", dangling.count,
                                 dangling.noun, dangling.count == 1 ? " is" : "s are", what, name),
                     fmt::format("import it, too, or have it in {}", root_.string()));
    }
  }

  // Leaves out files of lines that are there with other content.
  void leave_out_existing() {
    std::erase_if(plan_.files, [&](const PlannedFile& file) {
      if (look(root_ / file.path, file.content) != There::other) return false;
      imported_.files[file.file].notes.error(
          {(root_ / file.path).string()},
          fmt::format("is there already, with other content: {} record{} left out", file.records,
                      file.records == 1 ? " is" : "s are"),
          "nothing is overwritten: remove it, or import into another folder");
      imported_.left_out += file.records;
      return true;
    });
  }

  struct Dangling {
    std::size_t count = 0;
    int line = 0;
    std::string noun;
  };

  Imported& imported_;
  const KnownRecords& known_;
  const fs::path& root_;
  ImportPlan plan_;
  std::map<std::string, const Definition*, std::less<>> definitions_;
  std::map<std::string, const Solution*, std::less<>> solutions_;
  std::map<std::string, std::map<std::string, std::pair<std::size_t, std::string>>> seen_;
  std::map<std::pair<std::string, std::string>, std::pair<int, std::string>> uuids_;
  std::map<std::string, fs::path> blobs_;
  std::map<std::string, std::size_t> lines_;  // index into plan_.files
  std::map<std::tuple<std::size_t, std::string, std::string>, Dangling> dangling_;
};

}  // namespace

ImportPlan settle(Imported& imported, const KnownRecords& known, const fs::path& root) {
  return Settler(imported, known, root).run();
}

}  // namespace kbench
