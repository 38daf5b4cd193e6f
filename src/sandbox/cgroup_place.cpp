#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/file.hpp"
#include "base/text.hpp"
#include "sandbox/cgroup.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

bool has(std::string_view list, char separator, std::string_view word) {
  const auto words = split(list, separator);
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Spaces and the like are written as \040.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out +=
          static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + text[i + 3] - '0');
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

// The paths of this process's groups by controller, "" for version 2's.
std::map<std::string, std::string, std::less<>> own_groups(std::string_view cgroup) {
  std::map<std::string, std::string, std::less<>> out;
  for (const std::string_view line : split(cgroup, '\n')) {
    const auto first = line.find(':');
    const auto second = first == line.npos ? line.npos : line.find(':', first + 1);
    if (second == line.npos) continue;
    for (const auto controller : split(line.substr(first + 1, second - first - 1), ','))
      out.emplace(controller, line.substr(second + 1));
  }
  return out;
}

struct Mount {
  std::string root, point;
  bool written = false;  // mounted to be written, too
  std::string type, options;
};

std::optional<Mount> read_mount(std::string_view line) {
  const auto end = line.find(" - ");
  if (end == line.npos) return std::nullopt;
  const auto before = split(line.substr(0, end), ' ');
  const auto after = split(line.substr(end + 3), ' ');
  if (before.size() < 6 || after.size() < 3) return std::nullopt;
  return Mount{unescaped(before[3]), unescaped(before[4]), has(before[5], ',', "rw"),
               std::string(after[0]), std::string(after[2])};
}

// Folder of the group in the mount, "" where it is not there.
fs::path folder_of(const Mount& mount, const std::string& group) {
  const std::string root = mount.root == "/" ? "" : mount.root;
  if (!mount.written || !group.starts_with(root)) return {};
  const std::string rest = group.substr(root.size());
  if (!rest.empty() && rest.front() != '/') return {};
  if (rest.find("/..") != rest.npos) return {};  // a group outside of the namespace
  return rest.size() <= 1 ? fs::path(mount.point) : fs::path(mount.point + rest);
}

std::vector<fs::path> with_those_above(fs::path folder, const fs::path& top) {
  std::vector<fs::path> out;
  for (; !folder.empty(); folder = folder.parent_path()) {
    out.push_back(folder);
    if (folder == top) break;
  }
  return out;
}

}  // namespace

CgroupPlaces cgroup_places(std::string_view cgroup, std::string_view mountinfo) {
  const auto groups = own_groups(cgroup);
  CgroupPlaces places;
  const auto find = [&groups](const Mount& mount, std::string_view controller) -> fs::path {
    const auto group = groups.find(controller);
    return group == groups.end() ? fs::path() : folder_of(mount, group->second);
  };
  for (const std::string_view line : split(mountinfo, '\n')) {
    const auto mount = read_mount(line);
    if (!mount) continue;
    if (mount->type == "cgroup2" && places.unified.empty())
      places.unified = with_those_above(find(*mount, ""), mount->point);
    if (mount->type != "cgroup") continue;
    if (places.memory.empty() && has(mount->options, ',', "memory"))
      places.memory = find(*mount, "memory");
    if (places.pids.empty() && has(mount->options, ',', "pids")) places.pids = find(*mount, "pids");
  }
  return places;
}

std::optional<CgroupPlace> usable_place(const CgroupPlaces& places) {
  const auto may_write = [](const fs::path& folder) {
    return ::access(folder.c_str(), W_OK | X_OK) == 0 &&
           ::access((folder / "cgroup.procs").c_str(), W_OK) == 0;
  };
  for (const fs::path& folder : places.unified) {
    const auto given = read_file_if_there(folder / "cgroup.subtree_control");
    if (!given) continue;
    const std::string_view words = trim(*given);
    if (has(words, ' ', "memory") && has(words, ' ', "pids") && may_write(folder))
      return CgroupPlace{2, {folder}};
  }
  if (places.memory.empty() || places.pids.empty()) return std::nullopt;
  if (!may_write(places.memory) || !may_write(places.pids)) return std::nullopt;
  CgroupPlace place{1, {places.memory}};
  if (places.pids != places.memory) place.folders.push_back(places.pids);
  return place;
}

}  // namespace kbench
