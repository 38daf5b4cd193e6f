// Contents of foreign files: records of kbench's schema, and notes on each file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/json.hpp"
#include "base/work_folder.hpp"
#include "schema/definition.hpp"
#include "schema/solution.hpp"
#include "schema/trace.hpp"

namespace kbench {

// The formats that `kbench import` reads. Readers are in Python: python/kbench/importers. A new
// format is a module there, a row in its __main__.py, and one in imported.cpp.
struct ImportFormat {
  std::string_view name;
  std::string_view doc;
  std::span<const std::string_view> extensions;  // extensions of its files
};

std::span<const ImportFormat> import_formats();
const ImportFormat* find_import_format(std::string_view name);

// A file to read. One that is not wanted stands beside a wanted one and only explains it: none of
// its records is carried over, and it gets no notes.
struct ForeignFile {
  std::shared_ptr<const Source> source;
  bool wanted = true;
  Diagnostics notes{};
  bool is_read = true;  // false: it could not be opened, which its notes say
};

// An object of a file of JSON or YAML: the file, an element of its array, a line of a .jsonl file.
struct ForeignDocument {
  std::size_t file = 0;                  // an index into Imported::files
  int line = 0;                          // a .jsonl file's, which is all that `source` holds then
  std::shared_ptr<const Source> source;  // text that places in `value` refer to
  json::Value value;
  std::string problem;  // reason that it is no YAML
};

// A record, and the place in the user's file that it was made of.
template <class Record>
struct Found {
  Record record;
  std::size_t file = 0;  // an index into Imported::files
  int line = 0;          // a .jsonl file's, 0: the whole file
};

struct Imported {
  std::filesystem::path top;  // the folder that files of tensors are looked for in
  std::vector<ForeignFile> files;
  std::vector<ForeignDocument> documents;
  std::unique_ptr<json::Memory> memory = std::make_unique<json::Memory>();  // memory of documents
  std::vector<Found<Definition>> definitions;
  std::vector<Found<Solution>> solutions;
  std::vector<Found<Trace>> traces;  // bare workloads and evaluated ones
  std::size_t readable = 0;          // objects that are JSON, or whatever the format is made of
  std::size_t left_out = 0;          // records that could not be carried over
  std::size_t unknown = 0;           // objects among these that are no record of the format
  std::shared_ptr<WorkFolder> made;  // files of tensors made on the way, if any
};

// Records that the trace set which is written to holds already, by their names.
struct KnownRecords {
  std::map<std::string, Definition, std::less<>> definitions;
  std::map<std::string, Solution, std::less<>> solutions;
};

// ---- The steps of an import ----

// Reads a file and its neighbours, or all files of the format below a folder, into `files` and
// `documents`: the program alone opens them, beneath the folder that is imported. Files that cannot
// be read, or are no JSON, are noted and counted as left out; returns the number of files that
// could not be opened.
std::size_t read_foreign_files(const std::filesystem::path& from, const ImportFormat& format,
                               Imported& imported);

// Has the importer, a program in Python (python/kbench/importers), make records of them. The
// importer is held as candidates are. Throws std::runtime_error where there is no Python of 3.9 or
// newer, or the importer does not answer.
void run_importer(const ImportFormat& format, bool run_init, const KnownRecords& known,
                  Imported& imported);

// Reads the records and notes of the importer's answer by the schema, as a text that anybody may
// have written; a record's mistakes are noted at the place in the user's file that it was made of.
// Throws std::runtime_error where it is no answer.
void read_importer_answer(const json::Value& answer, Imported& imported);

}  // namespace kbench
