#include "validate/index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"

namespace kbench {
namespace {

// Returns a name without the last extension, as pathlib's stem.
std::string stem(std::string_view file) {
  const std::size_t dot = file.rfind('.');
  return std::string(dot == std::string_view::npos || dot == 0 ? file : file.substr(0, dot));
}

using ByName = std::map<std::string, DefinitionEntry, std::less<>>;

void add_definition(ByName& definitions, Entry entry, const std::vector<ScannedFile>& files,
                    std::string_view root) {
  const std::string& path = files[entry.file].path;
  const auto [place, is_new] = definitions.try_emplace(entry.names.definition);
  if (!is_new) {
    place->second.duplicate = fmt::format("duplicate definition name: {0}{1} and {0}{2}", root,
                                          files[place->second.file.file].path, path);
  }
  place->second.file = std::move(entry);
}

void add_trace_file(std::vector<Entry>& traces, Entry entry) {
  const auto same = std::find_if(traces.begin(), traces.end(), [&](const Entry& other) {
    return other.names.author == entry.names.author;
  });
  if (same == traces.end()) {
    traces.push_back(std::move(entry));
  } else {
    *same = std::move(entry);
  }
}

void add_to(DefinitionEntry& definition, Folder folder, Entry entry) {
  switch (folder) {
    case Folder::workloads:
      definition.workloads.assign(1, std::move(entry));
      break;
    case Folder::solutions:
      definition.solutions.push_back(std::move(entry));
      break;
    default:
      add_trace_file(definition.traces, std::move(entry));
  }
}

// Returns "set/" for "./set/", "" for the current folder: as pathlib shows it.
std::string shown_prefix(std::string_view root) {
  while (root.starts_with("./")) root.remove_prefix(2);
  while (root.size() > 1 && root.ends_with('/')) root.remove_suffix(1);
  if (root.empty() || root == ".") return "";
  return std::string(root) + (root == "/" ? "" : "/");
}

}  // namespace

PathNames names_of(const ScannedFile& file) {
  const std::vector<std::string_view> parts = split(file.path, '/');
  constexpr std::size_t depths[] = {3, 5, 3, 4};  // counts with the folder and the file
  const bool at_depth = parts.size() == depths[static_cast<int>(file.folder)];
  PathNames names;
  names.name = stem(parts.back());
  if (!at_depth) return names;
  const bool by_author = file.folder == Folder::solutions || file.folder == Folder::traces;
  if (by_author) names.author = parts[1];
  names.op_type = parts[by_author ? 2 : 1];
  names.definition = file.folder == Folder::solutions ? std::string(parts[3]) : names.name;
  return names;
}

DatasetIndex index_dataset(const std::vector<ScannedFile>& files, std::string_view shown_root) {
  DatasetIndex index;
  ByName definitions;
  const std::string root = shown_prefix(shown_root);
  for (std::size_t i = 0; i < files.size(); ++i) {  // definitions come first
    Entry entry{i, names_of(files[i])};
    if (entry.names.op_type.empty()) {
      index.misplaced.push_back(i);
    } else if (files[i].folder == Folder::definitions) {
      add_definition(definitions, std::move(entry), files, root);
    } else if (const auto place = definitions.find(entry.names.definition);
               place != definitions.end()) {
      add_to(place->second, files[i].folder, std::move(entry));
    } else {
      index.orphans.push_back(std::move(entry));
    }
  }
  for (auto& [name, definition] : definitions) index.definitions.push_back(std::move(definition));
  return index;
}

}  // namespace kbench
