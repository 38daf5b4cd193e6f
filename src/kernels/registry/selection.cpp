#include "kernels/registry/selection.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/text.hpp"
#include "kernels/registry/kernel_key.hpp"
#include "schema/place.hpp"
#include "schema/yaml.hpp"

namespace kbench {
namespace {

using json::Kind;

template <class Value>
void add_new(std::vector<Value>& to, const Value& value) {
  if (std::find(to.begin(), to.end(), value) == to.end()) to.push_back(value);
}

void unite_lists(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const std::string& one : from) add_new(to, one);
}

class SelectionReader {
 public:
  SelectionReader(const Source& source, Diagnostics& out) : place_{source, out} {}

  std::optional<OperatorSelection> read(const json::Value& root) {
    if (root.kind == Kind::null) return OperatorSelection{};
    if (!root.is_object()) {
      place_.out.error(place_.at(root), "a selection is a map",
                       "\"kbench kernels select\" writes one");
      return std::nullopt;
    }
    const std::size_t before = place_.out.errors();
    for (const json::Member& member : root.members) read_member(member);
    if (place_.out.errors() != before) return std::nullopt;
    return selection_;
  }

 private:
  void read_member(const json::Member& member) {
    const std::string pointer = fmt::format("/{}", member.key);
    if (member.key == "include_all_operators") {
      selection_.include_all_operators = read_bool(member.value, pointer);
    } else if (member.key == "include_all_non_op_selectives") {
      selection_.include_all_non_op_selectives = read_bool(member.value, pointer);
    } else if (member.key == "operators") {
      read_operators(member.value, pointer);
    } else if (member.key == "et_kernel_metadata") {
      read_kernels(member.value, pointer);
    } else if (member.key == "debug_info") {
      selection_.debug_info = read_words(member.value, pointer);
    } else if (!is_other(member.key)) {
      place_.out.error(place_.key(member, pointer),
                       fmt::format("Got unexpected top level keys: {}", member.key),
                       did_you_mean(member.key, known_));
    }
  }

  bool is_other(std::string_view key) const {
    return std::find(known_.begin(), known_.end(), key) != known_.end();
  }

  void wrong(const json::Value& value, const std::string& pointer, std::string_view wanted) {
    place_.out.error(place_.at(value, pointer),
                     fmt::format("must be {}, not {}", wanted, python_text(value)));
  }

  bool read_bool(const json::Value& value, const std::string& pointer) {
    if (value.kind != Kind::boolean) wrong(value, pointer, "true or false");
    return value.truth;
  }

  std::vector<std::string> read_words(const json::Value& value, const std::string& pointer) {
    std::vector<std::string> words;
    if (value.kind == Kind::null) return words;
    if (value.kind != Kind::array) wrong(value, pointer, "a list");
    for (const json::Value& item : value.items) {
      if (!item.is_string()) wrong(item, pointer, "a list of words");
      words.emplace_back(item.text);
    }
    return words;
  }

  void read_operators(const json::Value& value, const std::string& pointer) {
    if (value.kind == Kind::null) return;
    if (!value.is_object()) return wrong(value, pointer, "a map from operators to settings");
    for (const json::Member& member : value.members)
      read_operator(member, pointer + "/" + std::string(member.key));
  }

  void read_operator(const json::Member& member, const std::string& pointer) {
    SelectedOperator& one = selection_.operators[std::string(member.key)];
    if (!member.value.is_object()) return wrong(member.value, pointer, "a map of settings");
    for (const json::Member& setting : member.value.members) {
      const std::string inside = pointer + "/" + std::string(setting.key);
      if (setting.key == "is_root_operator") {
        one.is_root_operator = read_bool(setting.value, inside);
      } else if (setting.key == "is_used_for_training") {
        one.is_used_for_training = read_bool(setting.value, inside);
      } else if (setting.key == "include_all_overloads") {
        one.include_all_overloads = read_bool(setting.value, inside);
      } else if (setting.key == "debug_info") {
        one.debug_info = read_words(setting.value, inside);
      } else {
        place_.out.error(place_.key(setting, inside),
                         fmt::format("Got unexpected operator keys: {}", setting.key));
      }
    }
  }

  void read_kernels(const json::Value& value, const std::string& pointer) {
    if (value.kind == Kind::null) return;
    if (!value.is_object()) return wrong(value, pointer, "a map from operators to keys");
    for (const json::Member& member : value.members)
      selection_.kernels[std::string(member.key)] =
          read_words(member.value, pointer + "/" + std::string(member.key));
  }

  const std::vector<std::string> known_ = {"include_all_operators",
                                           "include_all_non_op_selectives",
                                           "operators",
                                           "et_kernel_metadata",
                                           "kernel_metadata",
                                           "custom_classes",
                                           "build_features",
                                           "debug_info"};
  YamlPlace place_;
  OperatorSelection selection_;
};

std::string words_text(const std::vector<std::string>& words, int indent) {
  if (words.empty()) return " []\n";
  std::string out = "\n";
  for (const std::string& word : words)
    out += fmt::format("{:{}}- {}\n", "", indent, yaml_word(word));
  return out;
}

}  // namespace

void select(OperatorSelection& selection, const std::string& name, const std::string& key,
            const std::string& debug_info) {
  SelectedOperator& one = selection.operators[name];
  if (!debug_info.empty()) add_new(one.debug_info, debug_info);
  add_new(selection.kernels[name], key);
}

OperatorSelection unite(const OperatorSelection& a, const OperatorSelection& b) {
  OperatorSelection all = a;
  all.include_all_operators |= b.include_all_operators;
  all.include_all_non_op_selectives |= b.include_all_non_op_selectives;
  for (const auto& [name, one] : b.operators) {
    const auto [entry, is_new] = all.operators.try_emplace(name, one);
    if (is_new) continue;
    entry->second.is_root_operator |= one.is_root_operator;
    entry->second.is_used_for_training |= one.is_used_for_training;
    entry->second.include_all_overloads |= one.include_all_overloads;
    unite_lists(entry->second.debug_info, one.debug_info);
  }
  for (const auto& [name, keys] : b.kernels) unite_lists(all.kernels[name], keys);
  unite_lists(all.debug_info, b.debug_info);
  return all;
}

std::optional<OperatorSelection> read_selection(const Source& source, Diagnostics& diagnostics) {
  json::Memory memory;
  const std::size_t before = diagnostics.errors();
  const json::Value root = parse_yaml(source, memory, diagnostics);
  if (diagnostics.errors() != before) return std::nullopt;
  return SelectionReader(source, diagnostics).read(root);
}

std::string write_selection(const OperatorSelection& selection) {
  std::string out =
      fmt::format("include_all_non_op_selectives: {}\ninclude_all_operators: {}\n",
                  selection.include_all_non_op_selectives, selection.include_all_operators);
  out += "debug_info:" + words_text(selection.debug_info, 0);
  out += selection.operators.empty() ? "operators: {}\n" : "operators:\n";
  for (const auto& [name, one] : selection.operators) {
    out += fmt::format("  {}:\n    is_root_operator: {}\n    is_used_for_training: {}\n", name,
                       one.is_root_operator, one.is_used_for_training);
    out += fmt::format("    include_all_overloads: {}\n    debug_info:{}",
                       one.include_all_overloads, words_text(one.debug_info, 4));
  }
  out += selection.kernels.empty() ? "et_kernel_metadata: {}\n" : "et_kernel_metadata:\n";
  for (const auto& [name, keys] : selection.kernels)
    out += fmt::format("  {}:{}", name, words_text(keys, 2));
  return out + "kernel_metadata: {}\ncustom_classes: []\nbuild_features: []\n";
}

std::string selection_key(std::string_view word) {
  if (word.starts_with("v1/")) return std::string(word);
  const ScalarTypeInfo* const type = find_scalar_type(word);
  return type == nullptr ? "" : fmt::format("v1/{};", type->code);
}

}  // namespace kbench
