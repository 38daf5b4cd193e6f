// What is read of foreign files: records of kbench's schema, and what is to be said of each file.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
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
  std::vector<Found<Definition>> definitions;
  std::vector<Found<Solution>> solutions;
  std::vector<Found<Trace>> traces;  // bare workloads and evaluated ones
  std::size_t readable = 0;          // objects that are JSON, or whatever the format is made of
  std::size_t left_out = 0;          // records that could not be carried over
  std::size_t unknown = 0;           // of these: objects that are no record of the format
  std::shared_ptr<WorkFolder> made;  // files of tensors that were made on the way, where there are
};

// What the trace set that is written to holds already.
struct KnownRecords {
  std::vector<Definition> definitions;
  std::vector<Solution> solutions;

  const Definition* definition(std::string_view name) const;
  const Solution* solution(std::string_view name) const;
};

// The Definition of that name in this import, else a known one; nullptr where there is none.
const Definition* find_definition(const Imported& imported, const KnownRecords& known,
                                  std::string_view name);

}  // namespace kbench
