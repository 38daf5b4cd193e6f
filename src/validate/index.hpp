// Trace set as FlashInfer-Bench's validator sees it: by the names of its files, at exact depths.
// Files that lie elsewhere, or belong to no definition, it does not see.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schema/scan.hpp"

namespace kbench {

// Names that a path has: definitions/<op_type>/<name>.json,
// solutions/<author>/<op_type>/<definition>/<name>.json, workloads/<op_type>/<definition>.jsonl,
// traces/<author>/<op_type>/<definition>.jsonl.
struct PathNames {
  std::string author;      // "" for definitions and workloads
  std::string op_type;     // "" where the file is not at its folder's depth
  std::string definition;  // own name of a definition
  std::string name;        // file name without extension
};
PathNames names_of(const ScannedFile& file);

// File of the scan, by its index, and the names of its path.
struct Entry {
  std::size_t file = 0;
  PathNames names;
};

struct DefinitionEntry {
  Entry file;
  std::string duplicate;         // message, where another file has the same name
  std::vector<Entry> workloads;  // none or one: the last of several, as FlashInfer-Bench has it
  std::vector<Entry> solutions;
  std::vector<Entry> traces;  // one per author
};

struct DatasetIndex {
  std::vector<DefinitionEntry> definitions;  // definitions by name
  std::vector<Entry> orphans;                // workloads, solutions and traces of no definition
  std::vector<std::size_t> misplaced;        // files that are too high or too deep
};

// Indexes the files; messages name the root `shown_root`.
DatasetIndex index_dataset(const std::vector<ScannedFile>& files, std::string_view shown_root);

}  // namespace kbench
