#include "kernels/registry/sharding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.hpp"

namespace kbench {
namespace {

using json::Kind;

class ShardingReader {
 public:
  ShardingReader(const YamlPlace& place, DeclaredSharding& to) : place_(place), to_(to) {}

  void read(const json::Member& member, const std::string& pointer) {
    if (member.key == "axis") {
      to_.where = place_.at(member.value, pointer);
      read_axes(member.value, pointer);
    } else if (member.key == "combine") {
      to_.combine_where = place_.at(member.value, pointer);
      read_combine(member.value, pointer);
    } else if (member.key == "ranks") {
      read_ranks(member.value, pointer);
    } else if (member.key == "tensors") {
      read_tensors(member.value, pointer);
    } else {
      const std::vector<std::string> known = {"axis", "combine", "ranks", "tensors"};
      place_.out.error(place_.key(member, pointer), fmt::format("unknown key \"{}\"", member.key),
                       did_you_mean(member.key, known));
    }
  }

 private:
  std::string read_word(const json::Value& value, const std::string& pointer,
                        std::string_view wanted) {
    if (!value.is_string()) place_.wrong(value, pointer, wanted);
    return std::string(value.text);
  }

  void read_axes(const json::Value& value, const std::string& pointer) {
    if (value.is_string()) {
      to_.axes = {std::string(value.text)};
      return;
    }
    if (value.kind != Kind::array || value.items.empty())
      return place_.wrong(value, pointer, "an axis, or a list of axes");
    for (std::size_t i = 0; i < value.items.size(); ++i)
      to_.axes.push_back(
          read_word(value.items[i], fmt::format("{}/{}", pointer, i), "the name of an axis"));
  }

  void read_combine(const json::Value& value, const std::string& pointer) {
    const std::string word = read_word(value, pointer, "a way to combine outputs");
    const std::vector<std::string> known = combine_names();
    const bool is_known = std::find(known.begin(), known.end(), word) != known.end();
    if (is_known) to_.combine = word;
    if (is_known || !value.is_string()) return;
    const std::string guess = did_you_mean(word, known);
    place_.out.error(to_.combine_where, fmt::format("\"{}\" is no way to combine outputs", word),
                     guess.empty() ? "ways are " + join(known, ", ") : guess);
  }

  void read_ranks(const json::Value& value, const std::string& pointer) {
    std::int64_t ranks = 0;
    const char* const end = value.text.data() + value.text.size();
    const auto [last, failure] = std::from_chars(value.text.data(), end, ranks);
    if (value.kind != Kind::integer || failure != std::errc() || last != end || ranks < 1)
      return place_.wrong(value, pointer, "a number of ranks");
    to_.ranks = ranks;
  }

  void read_tensors(const json::Value& value, const std::string& pointer) {
    if (!value.is_object())
      return place_.wrong(value, pointer, "a map from tensors to axes", "as in tensors: {C: M}");
    for (const json::Member& member : value.members)
      to_.tensors[member.key] = read_word(member.value, fmt::format("{}/{}", pointer, member.key),
                                          "an axis, or replicated");
  }

  const YamlPlace& place_;
  DeclaredSharding& to_;
};

}  // namespace

std::vector<std::string> combine_names() {
  return {"concat", "sum", "max", "softmax_merge", "softmax_merge2", "entry"};
}

std::vector<DeclaredSharding> read_shardings(const json::Value& value, const YamlPlace& place,
                                             const std::string& pointer) {
  std::vector<DeclaredSharding> all;
  if (value.kind != Kind::array) {
    place.wrong(value, pointer, "a list of ways to shard",
                "as in shard: [{axis: M, combine: concat}]");
    return all;
  }
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const json::Value& item = value.items[i];
    const std::string inside = fmt::format("{}/{}", pointer, i);
    DeclaredSharding one;
    ShardingReader reader(place, one);
    for (const json::Member& member : item.members)
      reader.read(member, fmt::format("{}/{}", inside, member.key));
    if (one.axes.empty() && item.find("axis") == nullptr)
      place.out.error(place.at(item, inside), "axis must name what is cut");
    else
      all.push_back(std::move(one));
  }
  return all;
}

void check_cut(const Definition& definition, const std::vector<std::string>& axes,
               const OrderedMap<std::string>& tensors, const Where& said, Diagnostics& out) {
  std::vector<std::string> known_axes, known_tensors;
  for (const auto& [name, axis] : definition.axes) known_axes.push_back(name);
  for (const auto* some : {&definition.inputs, &definition.outputs})
    for (const auto& [name, spec] : *some) known_tensors.push_back(name);
  const auto check = [&](const char* noun, const std::string& name, const char* nouns,
                         const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), name) != known.end()) return;
    const std::string guess = did_you_mean(name, known);
    out.error(said, fmt::format("{} has no {} {}", definition.name, noun, name),
              guess.empty() ? fmt::format("its {} are {}", nouns, join(known, ", ")) : guess);
  };
  for (const std::string& axis : axes) {
    check("axis", axis, "axes", known_axes);
    if (std::count(axes.begin(), axes.end(), axis) > 1)
      out.error(said, fmt::format("axis {} is named twice", axis));
  }
  for (const auto& [tensor, axis] : tensors) {
    check("tensor", tensor, "tensors", known_tensors);
    if (axis != replicated) check("axis", axis, "axes", known_axes);
  }
}

void check_shardings(const std::vector<DeclaredSharding>& shardings, const Definition& definition,
                     Diagnostics& out) {
  for (const DeclaredSharding& one : shardings)
    check_cut(definition, one.axes, one.tensors, one.where, out);
}

}  // namespace kbench
