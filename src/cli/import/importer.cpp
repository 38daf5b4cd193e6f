#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "base/installation.hpp"
#include "base/python.hpp"
#include "base/text.hpp"
#include "cli/import/imported.hpp"
#include "problem/bind.hpp"
#include "problem/data/safetensors.hpp"
#include "reference/evaluator.hpp"
#include "sandbox/service.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr Service::Seconds importer_limit{600};  // limit between two messages
constexpr std::size_t longest_request = std::size_t{1} << 30;

// ---- Python that came with foreign files runs as references run ----

class ModuleRunner {
 public:
  ModuleRunner();
  // Runs run() of "text" for "outputs", names; JSON with "why" it fails, or "", the "line" of the
  // foreign text and whether that "is_slow". The one output is a "text" of its bytes; or, where the
  // question says "is_stored", all are in a file of tensors, its "path".
  std::string answer(const json::Value& question);
  // Folder of these files; nullptr where none was made.
  std::shared_ptr<WorkFolder> made() const { return made_; }

 private:
  ReferenceAnswer run(const std::string& text, const std::vector<std::string>& outputs);
  std::string store(const ReferenceAnswer& answer, const std::vector<std::string>& names);

  std::atomic<bool> never_{false};
  ReferenceEvaluator evaluator_;
  std::shared_ptr<WorkFolder> made_;
  int files_ = 0;
};

ReferenceLimits limits_of_modules() {
  ReferenceLimits limits;
  limits.evaluator = EvaluatorChoice::python;
  limits.seconds = 60;
  return limits;
}

// A Definition has an input at least: run() is given a zero.
Definition definition_to_run(const std::string& text, const std::vector<std::string>& outputs) {
  Definition definition{.name = "module", .op_type = "module"};
  definition.inputs["zero"] = {std::nullopt, DType::int64, {}};
  for (const std::string& name : outputs)
    definition.outputs[name] = {std::vector<std::string>(), DType::float32, {}};
  definition.reference = text;
  return definition;
}

std::string failure_of(const ReferenceAnswer& answer) {
  if (answer.outcome == ReferenceOutcome::ok || !answer.message.empty()) return answer.message;
  return answer.outcome == ReferenceOutcome::out_of_memory ? "it needs too much memory"
                                                           : "its process died";
}

std::string bytes_of(const TensorView& tensor) {
  return {reinterpret_cast<const char*>(tensor.data), tensor.bytes};
}

ModuleRunner::ModuleRunner()
    : evaluator_(installation().programs / "kbench-torch", limits_of_modules(),
                 static_cast<int>(std::max(1U, std::thread::hardware_concurrency())), never_) {}

ReferenceAnswer ModuleRunner::run(const std::string& text,
                                  const std::vector<std::string>& outputs) {
  const Definition definition = definition_to_run(text, outputs);
  Workload workload;
  workload.inputs["zero"] = ScalarInput{.value = std::int64_t{0}};
  const Source nothing{"module", "{}"};
  Diagnostics problems;
  const auto problem = bind(definition, workload, Place(nothing), problems);
  Inputs inputs;
  inputs.values.push_back({"zero", Scalar(std::int64_t{0}), {DType::int64, {}, nullptr, 0}, 0, ""});
  ReferenceAnswer answer;
  try {
    return evaluator_.evaluate(definition, *problem, inputs, {});
  } catch (const ServiceFailure& failure) {
    answer.outcome = ReferenceOutcome::unsupported;
    answer.message = failure.what();
  }
  return answer;
}

std::string ModuleRunner::store(const ReferenceAnswer& answer,
                                const std::vector<std::string>& names) {
  if (!made_) made_ = std::make_shared<WorkFolder>(temporary_folder(), "kbench-import-");
  const std::string path = made_->path() / fmt::format("{}.safetensors", files_++);
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i < names.size(); ++i)
    tensors.push_back({names[i], answer.outputs.at(i)});
  write_safetensors(path, tensors);
  return path;
}

std::string ModuleRunner::answer(const json::Value& question) {
  std::vector<std::string> names;
  if (const json::Value* const outputs = question.find("outputs"))
    for (const json::Value& one : outputs->items) names.emplace_back(one.text);
  const json::Value* const text = question.find("text");
  const json::Value* const is_stored = question.find("is_stored");
  const ReferenceAnswer found = run(std::string(text == nullptr ? "" : text->text), names);
  nlohmann::json said{{"why", failure_of(found)},
                      {"line", found.line},
                      {"is_slow", found.outcome == ReferenceOutcome::timeout}};
  if (found.outcome == ReferenceOutcome::ok && is_stored != nullptr && is_stored->truth) {
    said["path"] = store(found, names);
  } else if (found.outcome == ReferenceOutcome::ok && !found.outputs.empty()) {
    said["text"] = bytes_of(found.outputs.front());
  }
  return said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// ---- The importer ----

fs::path importers_folder() { return installation().plugins / "python" / "importers"; }

// Runs the interpreter alone, without packages installed beside it, the user's settings and the
// current folder.
std::vector<std::string> importer_command(const Python& python) {
  return {python.program, "-I", "-S", "-B", importers_folder()};
}

FileView files_of_importers(const Python& python) {
  std::error_code gone;
  FileView files;
  files.readable = system_libraries();
  for (const fs::path& prefix :
       {python.prefix, fs::canonical(python.program, gone).parent_path().parent_path()})
    files.readable.push_back(prefix / "lib");
  files.readable.push_back(python.program);
  files.readable.push_back(python.program.parent_path().parent_path() / "pyvenv.cfg");
  files.readable.push_back(importers_folder());
  return files;
}

Python python_of_importers() {
  if (const auto python = find_python(find_libtorch().value_or(LibTorch{}))) return *python;
  throw std::runtime_error(
      "kbench import needs Python, 3.9 or newer, and there is none in PATH: install python3, or "
      "activate an environment that has it");
}

std::string file_json(const ForeignFile& file) {
  if (!file.is_read) return R"({"path":"","wanted":false,"text":""})";
  const bool is_python = file.source->path.ends_with(".py");
  return fmt::format(R"({{"path":{},"wanted":{},"text":{}}})", json_quote(file.source->path),
                     file.wanted, is_python ? json_quote(file.source->text) : "null");
}

// JSON goes as it stands in the file.
std::string document_json(const ForeignDocument& document) {
  const json::Value& value = document.value;
  const bool is_json = !document.source->path.ends_with(".yml");
  return fmt::format(R"({{"file":{},"problem":{},"value":{}}})", document.file,
                     json_quote(document.problem),
                     is_json ? document.source->text.substr(value.begin, value.end - value.begin)
                             : compact_json(value));
}

template <class List, class Write>
std::string list_json(const List& list, Write write) {
  std::vector<std::string> items;
  for (const auto& one : list) items.push_back(write(one));
  return "[" + join(items, ",") + "]";
}

std::string importer_request(const ImportFormat& format, bool run_init, const KnownRecords& known,
                             const Imported& imported) {
  std::vector<std::string> bits;
  for (const DTypeInfo& one : dtypes())
    bits.push_back(fmt::format("\"{}\":{}", one.name, one.bits));
  return fmt::format(
      R"({{"format":"{}","run_init":{},"current":{},"dtypes":{{{}}},"files":{},"documents":{},"known":{}}})",
      format.name, run_init, json_quote(fs::current_path().string()), join(bits, ","),
      list_json(imported.files, file_json), list_json(imported.documents, document_json),
      list_json(known.definitions,
                [](const auto& one) { return to_json(one.second, Dump::full); }));
}

}  // namespace

void run_importer(const ImportFormat& format, bool run_init, const KnownRecords& known,
                  Imported& imported) {
  std::string message = importer_request(format, run_init, known, imported);
  if (message.size() > longest_request)
    throw std::runtime_error("these files have more than 1 GiB: import a part of them at a time");
  const Python python = python_of_importers();
  const std::atomic<bool> never{false};
  Service importer(importer_command(python), never);
  importer.hold(files_of_importers(python));
  importer.greeting(importer_limit);
  ModuleRunner modules;
  for (;;) {
    const auto said = importer.ask(message, {}, importer_limit);
    if (!said) throw std::runtime_error("the importer ended without an answer");
    json::Memory memory;
    Diagnostics problems;
    const Source source{"the importer's answer", said->text};
    const json::Value value = json::parse(source, 0, said->text.size(), memory, problems);
    const json::Value* const question = value.is_object() ? value.find("ask") : nullptr;
    imported.made = modules.made();
    if (question == nullptr) return read_importer_answer(value, imported);
    message = modules.answer(*question);
  }
}

}  // namespace kbench
