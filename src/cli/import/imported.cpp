#include "cli/import/imported.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "schema/scan.hpp"
#include "schema/yaml.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

bool has_extension(const fs::path& path, const ImportFormat& format) {
  const std::string extension = path.extension().string();
  return std::find(format.extensions.begin(), format.extensions.end(), extension) !=
         format.extensions.end();
}

// Lists the files to read, and whether each is wanted; a single one comes with those of its folder,
// which explain it.
std::vector<std::pair<fs::path, bool>> list_foreign_files(const fs::path& from,
                                                          const ImportFormat& format) {
  std::vector<std::pair<fs::path, bool>> files;
  std::error_code error;
  if (fs::is_directory(from, error)) {
    for (const std::string_view extension : format.extensions) {
      for (const std::string& path : files_below(from, extension))
        files.emplace_back(from == "." ? fs::path(path) : from / path, true);
    }
  } else {
    const fs::path folder = from.has_parent_path() ? from.parent_path() : fs::path(".");
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const bool wanted = entry.path().filename() == from.filename();
      if (wanted || (entry.is_regular_file(error) && has_extension(entry.path(), format)))
        files.emplace_back(wanted ? from : entry.path(), wanted);
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Appends the notes on one document to those of its file, and counts it as left out where it is
// wrong.
void keep_notes(const ForeignDocument& document, Diagnostics notes, Imported& imported) {
  ForeignFile& file = imported.files[document.file];
  if (!file.wanted) return;
  if (notes.errors() > 0) ++imported.left_out;
  if (document.line > 0) {
    append_at_line(file.notes, notes, document.line);
  } else {
    file.notes.append(std::move(notes));
  }
}

void add_document(ForeignDocument document, Imported& imported) {
  Diagnostics problems;
  const Source& source = *document.source;
  document.value = json::parse(source, 0, source.text.size(), *imported.memory, problems);
  const bool broken = problems.errors() > 0;
  keep_notes(document, std::move(problems), imported);
  if (broken) return;
  if (document.value.kind != json::Kind::array)
    return imported.documents.push_back(std::move(document));
  for (const json::Value& item : document.value.items) {
    imported.documents.push_back(document);
    imported.documents.back().value = item;
  }
}

void add_lines(std::size_t file, const std::shared_ptr<const Source>& source, Imported& imported) {
  Diagnostics form;
  if (!check_lines_form(*source, form))
    return keep_notes({file, 0, source, {}, ""}, std::move(form), imported);
  int number = 0;
  for (const std::string_view line : split(source->text, '\n')) {
    ++number;
    if (trim(line).empty()) continue;
    const Source one{source->path, std::string(line)};
    add_document({file, number, std::make_shared<const Source>(one), {}, ""}, imported);
  }
}

void add_yaml(std::size_t file, const std::shared_ptr<const Source>& source, Imported& imported) {
  Diagnostics problems;
  ForeignDocument document{file, 0, source, {}, ""};
  document.value = parse_yaml(*source, *imported.memory, problems);
  for (const Diagnostic& one : problems.items())
    if (one.level == Level::error && document.problem.empty()) document.problem = one.message;
  imported.documents.push_back(std::move(document));
}

void add_documents(std::size_t file, Imported& imported) {
  const std::shared_ptr<const Source> source = imported.files[file].source;
  if (source->path.ends_with(".jsonl")) add_lines(file, source, imported);
  if (source->path.ends_with(".json")) add_document({file, 0, source, {}, ""}, imported);
  if (source->path.ends_with(".yml")) add_yaml(file, source, imported);
}

}  // namespace

std::size_t read_foreign_files(const fs::path& from, const ImportFormat& format,
                               Imported& imported) {
  std::size_t failed = 0;
  for (const auto& [path, wanted] : list_foreign_files(from, format)) {
    Source source{path.string(), ""};
    ForeignFile file{nullptr, wanted};
    try {
      source.text = read_file(path);
    } catch (const std::system_error& problem) {
      if (!wanted) continue;
      ++failed;
      file.is_read = false;
      file.notes.error({path.string()},
                       fmt::format("cannot be read: {}", problem.code().message()));
    }
    file.source = std::make_shared<const Source>(std::move(source));
    imported.files.push_back(std::move(file));
    if (imported.files.back().is_read) add_documents(imported.files.size() - 1, imported);
  }
  imported.left_out += failed;
  return failed;
}

namespace {

constexpr std::string_view json_files[] = {".json", ".jsonl"};
constexpr std::string_view python_files[] = {".py"};
constexpr std::string_view task_files[] = {".yml", ".py"};

constexpr ImportFormat table[] = {
    {"sol-execbench", "NVIDIA SOL-ExecBench: a folder a problem", json_files},
    {"fi-trace", "FlashInfer's dumps (FLASHINFER_TRACE_DUMP): a Definition a file", json_files},
    {"flashinfer-2025", "FlashInfer-Bench's data set of mid-2025", json_files},
    {"kernelbench", "KernelBench: modules of Python with a Model, or a ModelNew that answers one",
     python_files},
    {"gpu-mode", "GPU MODE's reference-kernels: a folder a problem, with task.yml and reference.py",
     task_files},
};

}  // namespace

std::span<const ImportFormat> import_formats() { return table; }

const ImportFormat* find_import_format(std::string_view name) {
  const auto row = std::find_if(std::begin(table), std::end(table),
                                [&](const ImportFormat& format) { return format.name == name; });
  return row == std::end(table) ? nullptr : row;
}

}  // namespace kbench
