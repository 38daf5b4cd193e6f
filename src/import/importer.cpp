#include "import/importer.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "base/installation.hpp"
#include "base/python.hpp"
#include "base/text.hpp"
#include "import/answer.hpp"
#include "import/module_runner.hpp"
#include "sandbox/service.hpp"
#include "schema/json_tree.hpp"
#include "schema/to_json.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr Service::Seconds importer_limit{600};  // between two messages
constexpr std::size_t longest_request = std::size_t{1} << 30;

fs::path importers_folder() { return installation().plugins / "python" / "importers"; }

// The interpreter alone, without what is installed beside it, the user's settings and the current
// folder.
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
