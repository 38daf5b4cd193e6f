// A trace set seen as FlashInfer-Bench's validator sees it: by the names of its files, at exact
// depths. What lies elsewhere, or belongs to no definition, it does not see.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "schema/scan.hpp"

namespace kbench {

// What a path says: definitions/<op_type>/<name>.json, solutions/<author>/<op_type>/<definition>/
// <name>.json, workloads/<op_type>/<definition>.jsonl,
// traces/<author>/<op_type>/<definition>.jsonl.
struct PathNames {
  std::string author;      // "" for definitions and workloads
  std::string op_type;     // "" where the file is not at its folder's depth
  std::string definition;  // of a definition: its own name
  std::string name;        // file name without extension
};
PathNames names_of(const ScannedFile& file);

// A file of the scan: which one, and what its path says.
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
  std::vector<DefinitionEntry> definitions;  // by name
  std::vector<Entry> orphans;                // workloads, solutions and traces of no definition
  std::vector<std::size_t> misplaced;        // files that are too high or too deep
};

// `shown_root` is how messages name the root.
DatasetIndex index_dataset(const std::vector<ScannedFile>& files, std::string_view shown_root);

}  // namespace kbench
