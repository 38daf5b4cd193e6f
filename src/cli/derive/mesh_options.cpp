// --mesh, and what --axis and --tensor say of its axes.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/derive/shard_plan.hpp"
#include "cli/shell/command_line.hpp"
#include "problem/rank_protocol.hpp"

namespace kbench {
namespace {

// "M=dp", split at the first of these characters; the second is "" where there is none.
std::pair<std::string, std::string> halves(std::string_view word, char at) {
  const std::size_t place = word.find(at);
  if (place == word.npos) return {std::string(trim(word)), ""};
  return {std::string(trim(word.substr(0, place))), std::string(trim(word.substr(place + 1)))};
}

class MeshReader {
 public:
  explicit MeshReader(Diagnostics& out) : out_(out) {}

  std::vector<MeshAxis> read(const ShardCommand& command) {
    for (const std::string& word : command.mesh) read_axis(word);
    for (const std::string& word : command.axes) read_cut(word);
    for (const std::string& word : command.tensors) read_tensor(word);
    std::int64_t ranks = 1;
    for (const MeshAxis& axis : mesh_) {
      ranks *= axis.ranks;
      if (axis.axes.empty())
        wrong("--axis", fmt::format("{} cuts nothing", axis.name), "as in --axis M=" + axis.name);
    }
    if (ranks > worker::max_ranks)
      wrong("--mesh", fmt::format("{} ranks: there are {} at most", ranks, worker::max_ranks));
    return std::move(mesh_);
  }

 private:
  void wrong(const char* option, std::string message, std::string hint = "") {
    out_.error({option}, std::move(message), std::move(hint));
  }

  void read_axis(const std::string& word) {
    const auto [name, value] = halves(word, '=');
    const auto [count, combine] = halves(value, ':');
    const auto ranks = parse_integer(count);
    const std::vector<std::string> known = combine_names();
    if (name.empty() || !ranks || *ranks < 1 || *ranks > worker::max_ranks)
      return wrong("--mesh", fmt::format("\"{}\" is no axis and its number of ranks", word),
                   "as in dp=2, or tp=2:sum");
    if (!combine.empty() && std::find(known.begin(), known.end(), combine) == known.end())
      return wrong("--mesh", fmt::format("\"{}\" is no way to combine outputs", combine),
                   "ways are " + join(known, ", "));
    if (std::any_of(mesh_.begin(), mesh_.end(),
                    [&](const MeshAxis& one) { return one.name == name; }))
      return wrong("--mesh", fmt::format("{} is named twice", name));
    mesh_.push_back({name, *ranks, combine, {}, {}});
  }

  MeshAxis* find(const char* option, const std::string& name, const std::string& word) {
    for (MeshAxis& axis : mesh_)
      if (axis.name == name) return &axis;
    std::vector<std::string> known;
    for (const MeshAxis& axis : mesh_) known.push_back(axis.name);
    wrong(option,
          name.empty() ? fmt::format("\"{}\" does not say which axis of the mesh cuts it", word)
                       : fmt::format("the mesh has no axis {}", name),
          "its axes are " + join(known, ", "));
    return nullptr;
  }

  void read_cut(const std::string& word) {
    const auto [axis, name] = halves(word, '=');
    if (MeshAxis* const by = find("--axis", name, word)) by->axes.push_back(axis);
  }

  // An axis of the mesh that is not named does not cut the tensor.
  void read_tensor(const std::string& word) {
    const auto [tensor, cuts] = halves(word, '=');
    for (MeshAxis& axis : mesh_) axis.tensors[tensor] = std::string(replicated);
    if (cuts == replicated) return;
    for (const std::string_view cut : split(cuts, '+')) {
      const auto [axis, name] = halves(cut, ':');
      if (MeshAxis* const by = find("--tensor", name, word)) by->tensors[tensor] = axis;
    }
  }

  Diagnostics& out_;
  std::vector<MeshAxis> mesh_;
};

}  // namespace

std::vector<MeshAxis> read_mesh(const ShardCommand& command, Diagnostics& out) {
  return MeshReader(out).read(command);
}

}  // namespace kbench
