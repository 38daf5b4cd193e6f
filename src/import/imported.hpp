// What is read of foreign files: records of kbench's schema, and what is to be said of each file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/json.hpp"
#include "base/work_folder.hpp"
#include "schema/definition.hpp"
#include "schema/solution.hpp"
#include "schema/trace.hpp"

namespace kbench {

// A file to read. One that is not wanted stands beside a wanted one and only explains it: nothing
// of it is carried over, and nothing is said of it.
struct ForeignFile {
  std::shared_ptr<const Source> source;
  bool wanted = true;
  Diagnostics notes{};
  bool is_read = true;  // false: it could not be opened, which its notes say
};

// An object of a file of JSON or YAML: the file, an element of its array, a line of a .jsonl file.
struct ForeignDocument {
  std::size_t file = 0;                  // an index into Imported::files
  int line = 0;                          // of a .jsonl file, which is all that `source` holds then
  std::shared_ptr<const Source> source;  // what places in `value` refer to
  json::Value value;
  std::string problem;  // why it is no YAML
};

// A record, and where the user's file has what it was made of.
template <class Record>
struct Found {
  Record record;
  std::size_t file = 0;  // an index into Imported::files
  int line = 0;          // of a .jsonl file, 0: the whole file
};

struct Imported {
  std::filesystem::path top;  // the folder that files of tensors are looked for in
  std::vector<ForeignFile> files;
  std::vector<ForeignDocument> documents;
  std::unique_ptr<json::Memory> memory = std::make_unique<json::Memory>();  // of documents
  std::vector<Found<Definition>> definitions;
  std::vector<Found<Solution>> solutions;
  std::vector<Found<Trace>> traces;  // bare workloads and evaluated ones
  std::size_t readable = 0;          // objects that are JSON, or whatever the format is made of
  std::size_t left_out = 0;          // records that could not be carried over
  std::size_t unknown = 0;           // of these: objects that are no record of the format
  std::shared_ptr<WorkFolder> made;  // files of tensors that were made on the way, where there are
};

// What the trace set that is written to holds already, by their names.
struct KnownRecords {
  std::map<std::string, Definition, std::less<>> definitions;
  std::map<std::string, Solution, std::less<>> solutions;
};

}  // namespace kbench
