#include "validate/further.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "base/text.hpp"
#include "kernels/registry/sidecar.hpp"
#include "problem/data/generate.hpp"
#include "problem/data/safetensors.hpp"
#include "problem/data/value_plan.hpp"
#include "problem/launch.hpp"
#include "schema/place.hpp"
#include "validate/remarks.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

using SeenNames = std::unordered_set<std::string>;

constexpr std::string_view layouts[] = {
    "definitions/<op_type>/<name>.json", "solutions/<author>/<op_type>/<definition>/<name>.json",
    "workloads/<op_type>/<definition>.jsonl", "traces/<author>/<op_type>/<definition>.jsonl"};

// Subject of a message: a value of a file, or of a line of it.
struct Spot {
  std::size_t file = 0;
  int line = 0;
  std::string_view pointer = "";
  std::size_t index = 0;  // byte of that value, when it is a string
};

// Writer of the messages of one run over the files.
struct Writer {
  const FurtherInput& input;
  std::vector<FileReport>& reports;
  ReportPlaces& places;

  void say(Level level, const Spot& spot, std::string message, std::string hint = "") const {
    reports[spot.file].messages.add({level,
                                     places.at(spot.file, spot.line, spot.pointer, spot.index),
                                     std::move(message), std::move(hint)});
  }
};

std::vector<std::string> sorted(const SeenNames& names) {
  std::vector<std::string> all(names.begin(), names.end());
  std::sort(all.begin(), all.end());
  return all;
}

// Names that a set has, also those that only the paths of unread files have.
struct KnownNames {
  SeenNames definitions;
  SeenNames solutions;

  explicit KnownNames(const std::vector<ScannedFile>& files) {
    for (const ScannedFile& file : files) {
      if (file.folder == Folder::definitions) {
        definitions.insert(file.definition ? file.definition->name : names_of(file).name);
      } else if (file.folder == Folder::solutions) {
        solutions.insert(file.solution ? file.solution->name : names_of(file).name);
      }
    }
  }
};

// Records that name what the trace set lacks are reported once per file and name.
class Dangling {
 public:
  Dangling(const Writer& writer, const KnownNames& known, std::size_t file)
      : writer_(writer), known_(known), file_(file) {}

  void definition(const std::string& name, int line) {
    note("definition", known_.definitions, name, {file_, line, "/definition"});
  }
  void solution(const std::string& name, int line) {
    note("solution", known_.solutions, name, {file_, line, "/solution"});
  }

 private:
  void note(std::string_view noun, const SeenNames& known, const std::string& name,
            const Spot& spot) {
    if (known.contains(name) || !seen_.insert(fmt::format("{} {}", noun, name)).second) return;
    writer_.say(writer_.input.soft, spot,
                fmt::format("{} \"{}\" is not in this trace set", noun, name),
                did_you_mean(name, sorted(known)));
  }

  const Writer& writer_;
  const KnownNames& known_;
  std::size_t file_;
  std::unordered_set<std::string> seen_;
};

// Checks the files of tensors that a workload names.
void check_blobs(const fs::path& root, const Problem& problem, const Place& line,
                 Diagnostics& out) {
  for (const InputPlan& input : problem.inputs) {
    const auto* blob = std::get_if<SafetensorsInput>(&input.source);
    if (blob == nullptr) continue;
    const std::string& name = input.tensor.name;
    BlobProblem found = blob_problem(root, name, *blob, input.tensor.shape);
    if (found.message.empty())
      found.message = blob_dtype_problem(root, name, *blob, input.tensor.dtype);
    if (found.message.empty()) continue;
    out.error(line.value("/workload/inputs/" + pointer_step(name)),
              fmt::format("{}: {}", problem.workload, found.message), std::move(found.hint));
  }
}

// Kinds that the workload names may not fit. The definition's own kinds are the same for all of its
// workloads, and take reading its reference.
void check_kinds(const Definition& definition, const Problem& problem, const Place& line,
                 Diagnostics& out) {
  const bool names_kinds =
      std::any_of(problem.inputs.begin(), problem.inputs.end(), [](const InputPlan& input) {
        const auto* random = std::get_if<RandomInput>(&input.source);
        return random != nullptr && random->kind;
      });
  if (names_kinds) plan_values(definition, problem, line, out);
}

// Reports what FlashInfer-Bench refuses and bind() takes; returns true where that is nothing.
bool check_beyond_binding(const Problem& problem, const TraceLine& line, const Place& place,
                          Diagnostics& out) {
  const Workload& workload = line.trace.workload;
  const std::size_t before = out.errors();
  const auto error = [&](const std::string& pointer, const std::string& message) {
    out.error(place.value(pointer), fmt::format("{}: {}", workload.uuid, message));
  };
  if (!is_workload_trace(line.trace))
    error("", "workload entry should not have solution or evaluation");
  for (const auto& [name, length] : workload.axes)
    if (length <= 0)
      error("/workload/axes/" + pointer_step(name),
            fmt::format("axis {} has non-positive value {}", name, length));
  for (const auto& [input, source] : problem.inputs)
    if (input.is_scalar && std::holds_alternative<RandomInput>(source))
      error("/workload/inputs/" + pointer_step(input.name),
            fmt::format("{} is random but definition expects scalar", input.name));
  return out.errors() == before;
}

void check_workload(const fs::path& root, const Definition& definition, const TraceLine& line,
                    const Place& place, Diagnostics& out) {
  if (line.misplaced) return;  // reported by the reader
  const auto problem = bind(definition, line.trace.workload, place, out);
  if (problem && check_beyond_binding(*problem, line, place, out)) {
    check_blobs(root, *problem, place, out);
    check_kinds(definition, *problem, place, out);
  }
}

}  // namespace

void note_names(const FurtherInput& input, std::vector<FileReport>& reports, ReportPlaces& places) {
  const Writer writer{input, reports, places};
  for (const std::size_t file : input.index.misplaced) {
    writer.say(input.soft, {file}, "FlashInfer-Bench's validator does not look here",
               fmt::format("its place is {}", layouts[static_cast<int>(input.files[file].folder)]));
  }
  SeenNames orphans;
  for (const Entry& entry : input.index.orphans) {
    orphans.insert(input.files[entry.file].path);
    writer.say(input.soft, {entry.file},
               fmt::format("belongs to no definition: there is none in a file {}.json",
                           entry.names.definition));
  }
  const KnownNames known(input.files);
  for (std::size_t i = 0; i < input.files.size(); ++i) {
    const ScannedFile& file = input.files[i];
    if (orphans.contains(file.path)) continue;
    const auto& elsewhere = input.index.misplaced;
    const bool misplaced = std::find(elsewhere.begin(), elsewhere.end(), i) != elsewhere.end();
    Dangling dangling(writer, known, i);
    if (file.solution) dangling.definition(file.solution->definition, 0);
    for (const TraceLine& line : file.lines) {
      dangling.definition(line.trace.definition, line.line);
      // Traces of files in their place are left to check_traces().
      if (misplaced && line.trace.solution) dangling.solution(*line.trace.solution, line.line);
    }
  }
}

void note_uuids(const FurtherInput& input, std::vector<FileReport>& reports, ReportPlaces& places) {
  const Writer writer{input, reports, places};
  std::map<std::pair<std::string_view, std::string_view>, std::pair<std::size_t, int>> first;
  for (std::size_t i = 0; i < input.files.size(); ++i) {
    if (input.files[i].folder != Folder::workloads) continue;
    for (const TraceLine& line : input.files[i].lines) {
      const auto [place, is_new] =
          first.try_emplace({line.trace.definition, line.trace.workload.uuid}, i, line.line);
      if (is_new) continue;
      writer.say(Level::error, {i, line.line, "/workload/uuid"},
                 fmt::format("duplicate workload uuid \"{}\"", line.trace.workload.uuid),
                 fmt::format("the first one is {}:{}", reports[place->second.first].path,
                             place->second.second));
    }
  }
}

void note_solutions(const FurtherInput& input, std::vector<FileReport>& reports,
                    ReportPlaces& places) {
  const Writer writer{input, reports, places};
  const DefinitionsByName definitions = definitions_in(input.files);
  for (std::size_t i = 0; i < input.files.size(); ++i) {
    if (!input.files[i].solution) continue;
    const Solution& solution = *input.files[i].solution;
    for (const Remark& remark : remarks_on(solution))
      writer.say(input.soft, {i, 0, remark.pointer}, remark.message, remark.hint);
    const auto definition = definitions.find(solution.definition);
    if (!solution.spec.launch || definition == definitions.end()) continue;
    const Stored<Solution> stored{solution, file_of(input.root, input.files[i]).string()};
    for (const LaunchProblem& one :
         launch_problems(*solution.spec.launch, *definition->second, declared_parameters(stored)))
      writer.say(Level::error, {i, 0, "/spec/launch" + one.pointer, one.index},
                 "cannot be launched: " + one.message, one.hint);
  }
}

void check_workloads(const CheckInput& input, Diagnostics& out) {
  if (input.entry.workloads.empty())
    return input.warning(input.entry.file, "no workload file found");
  const Entry& entry = input.entry.workloads.front();
  const auto* lines = input.lines(entry);
  if (lines == nullptr || input.definition() == nullptr) return;
  const Place place(file_of(input.root, input.file(entry)));
  for (const TraceLine& line : *lines)
    check_workload(input.root, *input.definition(), line, place.at_line(line.line), out);
}

void note_unseen_workloads(const FurtherInput& input, std::vector<FileReport>& reports) {
  const DefinitionsByName definitions = definitions_in(input.files);
  std::set<std::size_t> seen;
  for (const DefinitionEntry& entry : input.index.definitions)
    if (!entry.workloads.empty()) seen.insert(entry.workloads.front().file);
  for (std::size_t i = 0; i < input.files.size(); ++i) {
    if (input.files[i].folder != Folder::workloads || seen.contains(i)) continue;
    const Place place(reports[i].path);
    for (const TraceLine& line : input.files[i].lines) {
      const auto definition = definitions.find(line.trace.definition);
      if (definition != definitions.end())
        check_workload(input.root, *definition->second, line, place.at_line(line.line),
                       reports[i].messages);
    }
  }
}

BlobProblem blob_problem(const fs::path& root, const std::string& input,
                         const SafetensorsInput& source, const MaybeShape& expected) {
  const StoredPlace place = stored_place(root, source.path);
  if (!place.problem.empty())
    return {fmt::format("blob {} {}", source.path, place.problem), place.hint};
  const fs::path& path = place.file;
  std::error_code error;
  if (!fs::exists(path, error)) return {fmt::format("blob missing at {}", source.path), ""};
  Diagnostics problems;
  try {
    const auto file = SafetensorsFile::open(path, problems);
    if (!file) {
      const Diagnostic first = problems.empty() ? Diagnostic{} : problems.items().front();
      return {"blob load failed: " + first.message, first.hint};
    }
    const StoredTensor* tensor = file->find(source.tensor_key);
    if (tensor == nullptr) {
      return {fmt::format("tensor key '{}' not found in {}", source.tensor_key, source.path),
              holds_text(file->header())};
    }
    if (!expected || tensor->shape == *expected) return {};
    return {fmt::format("{} shape mismatch: expected {}, got {}", input, python_tuple(*expected),
                        python_tuple(tensor->shape)),
            ""};
  } catch (const std::system_error& failure) {
    return {fmt::format("blob load failed: {}", failure.code().message()), ""};
  }
}

std::string blob_dtype_problem(const fs::path& root, const std::string& input,
                               const SafetensorsInput& source, DType expected) {
  Diagnostics problems;
  const StoredPlace place = stored_place(root, source.path);
  if (!place.problem.empty()) return "";
  const auto file = SafetensorsFile::open(place.file, problems);
  const StoredTensor* tensor = file ? file->find(source.tensor_key) : nullptr;
  if (tensor == nullptr || tensor->dtype == expected) return "";
  const std::string got(tensor->dtype ? info(*tensor->dtype).name : tensor->dtype_name);
  return fmt::format("{} dtype mismatch: expected {}, got {}", input, info(expected).name, got);
}

}  // namespace kbench
