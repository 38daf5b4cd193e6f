#include "registry/sidecar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "problem/constraint.hpp"
#include "registry/yaml_place.hpp"
#include "schema/yaml.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using json::Kind;

constexpr std::string_view schema_name = "kbench.kernel/1";
constexpr std::string_view settings_keys[] = {"platform", "backend", "priority", "supports"};
// Of configurations, gradients and shards.
constexpr std::string_view other_keys[] = {"version",   "params",  "where",
                                           "heuristic", "nondiff", "shard"};

class Reader {
 public:
  Reader(const Source& source, Diagnostics& out) : place_{source, out} {}

  Sidecar read(const json::Value& root) {
    Sidecar sidecar;
    if (root.kind == Kind::null) return sidecar;  // it says nothing
    if (!root.is_object()) {
      place_.out.error(place_.at(root), "a sidecar is a map", "docs/kernels.md says what it holds");
      return sidecar;
    }
    for (const json::Member& member : root.members) {
      const std::string pointer = "/" + std::string(member.key);
      if (member.key == "schema") {
        check_schema(member.value, pointer);
      } else if (member.key == "kernels") {
        read_kernels(member.value, pointer, sidecar);
      } else if (member.key == "sources") {
        sidecar.sources = read_words(member.value, pointer);
      } else if (member.key == "entry") {
        read_methods(member.value, pointer, sidecar.methods);
      } else if (member.key == "shard") {
        sidecar.shardings = read_shardings(member.value, place_, pointer);
      } else if (member.key == "where" && root.find("params") == nullptr) {
        place_.out.error(place_.key(member, pointer),
                         "where is of configurations, and there are no params",
                         "conditions of kernels stand under supports");
      } else if (!is_one_of(member.key, other_keys)) {
        read_setting(member, pointer, sidecar.all);
      }
    }
    return sidecar;
  }

 private:
  void wrong(const json::Value& value, const std::string& pointer, std::string_view wanted,
             std::string hint = "") {
    place_.out.error(place_.at(value, pointer),
                     fmt::format("must be {}, not {}", wanted, python_text(value)),
                     std::move(hint));
  }

  void check_schema(const json::Value& value, const std::string& pointer) {
    if (value.text != schema_name) wrong(value, pointer, fmt::format("'{}'", schema_name));
  }

  std::vector<std::string> read_words(const json::Value& value, const std::string& pointer) {
    std::vector<std::string> words;
    if (value.kind != Kind::array) wrong(value, pointer, "a list of words");
    for (const json::Value& item : value.items) {
      if (!item.is_string()) wrong(item, pointer, "a word");
      words.emplace_back(item.text);
    }
    return words;
  }

  void read_methods(const json::Value& value, const std::string& pointer, Methods& methods) {
    if (!value.is_object())
      wrong(value, pointer, "a map from what is done to functions",
            "as in entry: {run: run, vjp: backward}");
    const std::vector<std::string> known = method_names();
    for (const json::Member& member : value.members) {
      const std::string inside = fmt::format("{}/{}", pointer, member.key);
      const bool is_known = std::find(known.begin(), known.end(), member.key) != known.end();
      if (!is_known)
        place_.out.error(place_.key(member, inside),
                         fmt::format("\"{}\" is nothing that a kernel does", member.key),
                         did_you_mean(member.key, known));
      if (!member.value.is_string()) wrong(member.value, inside, "the name of a function");
      methods[std::string(member.key)] = member.value.text;
    }
  }

  void read_kernels(const json::Value& value, const std::string& pointer, Sidecar& sidecar) {
    if (value.kind != Kind::array) wrong(value, pointer, "a list of kernels");
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const json::Value& item = value.items[i];
      const std::string inside = fmt::format("{}/{}", pointer, i);
      const json::Value* const name = item.find("kernel_name");
      if (name == nullptr || !name->is_string()) {
        place_.out.error(place_.at(item, inside), "kernel_name must name a kernel of the library");
        continue;
      }
      const Where where = place_.at(*name, inside + "/kernel_name");
      const auto [entry, is_new] = sidecar.kernels.try_emplace(std::string(name->text));
      KernelSettings& settings = entry->second;
      if (!is_new) {
        place_.out.error(where, fmt::format("{} stands here twice", name->text),
                         "the other one: " + short_place(settings.where));
        continue;
      }
      settings.where = where;
      for (const json::Member& member : item.members) {
        if (member.key != "kernel_name")
          read_setting(member, fmt::format("{}/{}", inside, member.key), settings);
      }
    }
  }

  void read_setting(const json::Member& member, const std::string& pointer,
                    KernelSettings& settings) {
    if (member.key == "platform") {
      read_platform(member.value, pointer, settings);
    } else if (member.key == "backend") {
      read_backend(member.value, pointer, settings);
    } else if (member.key == "priority") {
      read_priority(member.value, pointer, settings);
    } else if (member.key == "supports") {
      read_supports(member.value, pointer, settings);
    } else {
      std::vector<std::string> known(std::begin(settings_keys), std::end(settings_keys));
      known.insert(known.end(), {"schema", "kernels", "sources", "entry"});
      known.insert(known.end(), std::begin(other_keys), std::end(other_keys));
      place_.out.error(place_.key(member, pointer), fmt::format("unknown key \"{}\"", member.key),
                       did_you_mean(member.key, known));
    }
  }

  void read_platform(const json::Value& value, const std::string& pointer,
                     KernelSettings& settings) {
    const Platform* const platform = find_platform(value.text);
    if (platform == nullptr)
      return wrong(value, pointer, "a platform", "they are " + join(platform_names(), ", "));
    settings.platform = platform->name;
  }

  void read_backend(const json::Value& value, const std::string& pointer,
                    KernelSettings& settings) {
    settings.backend = parse_backend(value.text);
    if (!settings.backend) wrong(value, pointer, "a backend", "they are " + backend_words());
  }

  void read_priority(const json::Value& value, const std::string& pointer,
                     KernelSettings& settings) {
    int priority = 0;
    std::string_view digits = value.text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const char* const end = digits.data() + digits.size();
    const auto [last, failure] = std::from_chars(digits.data(), end, priority);
    if (value.kind != Kind::integer || failure != std::errc() || last != end)
      return wrong(value, pointer, "an integer");
    settings.priority = priority;
  }

  void read_supports(const json::Value& value, const std::string& pointer,
                     KernelSettings& settings) {
    if (!value.is_object()) return wrong(value, pointer, "a map with where");
    for (const json::Member& member : value.members) {
      const std::string inside = fmt::format("{}/{}", pointer, member.key);
      if (member.key == "where") {
        settings.conditions = read_words(member.value, inside);
        settings.says_conditions = true;
        check_conditions(member.value, inside);
      } else {
        place_.out.error(place_.key(member, inside), fmt::format("unknown key \"{}\"", member.key),
                         "supports has where: conditions over the axes");
      }
    }
  }

  void check_conditions(const json::Value& list, const std::string& pointer) {
    for (const json::Value& item : list.items) {
      const auto parsed = python::parse_expression(item.text);
      if (const auto* error = std::get_if<python::SyntaxError>(&parsed)) {
        place_.out.error(
            place_.inside(item, error->offset, pointer), error->message,
            error->message == "invalid syntax" ? "a comparison, as in n % 16 == 0" : "");
        continue;
      }
      const python::Expression& expression = *std::get<python::ExpressionPtr>(parsed);
      if (const auto* part = part_of_tensor(expression)) {
        place_.out.error(place_.inside(item, part->begin, pointer),
                         "conditions are over the axes: tensors have no part in them");
        continue;
      }
      // Whatever axes there are: a name stands for one.
      Definition asked;
      asked.constraints.emplace_back(item.text);
      add_axes(expression, asked);
      for (const ConstraintProblem& problem : constraint_problems(asked))
        place_.out.error(place_.inside(item, problem.index, pointer), problem.message,
                         problem.hint);
    }
  }

  // x.shape, x[0]
  static const python::Expression* part_of_tensor(const python::Expression& expression) {
    using Node = python::Expression::Kind;
    if (expression.kind == Node::attribute || expression.kind == Node::subscript)
      return &expression;
    for (const python::ExpressionPtr& one : expression.operands) {
      if (const auto* part = part_of_tensor(*one)) return part;
    }
    return nullptr;
  }

  static void add_axes(const python::Expression& expression, Definition& to) {
    using Node = python::Expression::Kind;
    if (expression.kind == Node::name) to.axes[expression.text] = AxisVar{};
    const std::size_t first = expression.kind == Node::call ? 1 : 0;  // the function's name
    for (std::size_t i = first; i < expression.operands.size(); ++i)
      add_axes(*expression.operands[i], to);
  }

  YamlPlace place_;
};

}  // namespace

namespace {

constexpr std::string_view extensions[] = {".json", ".yaml"};  // the first that is there counts

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

void warn_of_another(const fs::path& counts, Diagnostics& out) {
  for (const std::string_view extension : extensions) {
    const fs::path other = fs::path(counts).replace_extension(extension);
    if (other != counts && is_file(other))
      out.warning({other.string(), 0, 0, "", ""},
                  fmt::format("is not read: {} stands beside it and counts", counts.string()));
  }
}

}  // namespace

std::optional<fs::path> find_sidecar(const fs::path& file) {
  const fs::path folder = file.parent_path();
  const std::string own = file.stem().string() + ".kbench";
  for (const std::string& stem : {own, std::string("kbench")}) {
    for (const std::string_view extension : extensions) {
      const fs::path path = folder / (stem + std::string(extension));
      if (is_file(path)) return path;
    }
  }
  return std::nullopt;
}

Sidecar read_sidecar(const Source& source, Diagnostics& diagnostics) {
  json::Memory memory;
  const std::size_t before = diagnostics.errors();
  const bool is_json = source.path.ends_with(".json");
  const json::Value root = is_json ? json::parse(source, 0, source.text.size(), memory, diagnostics)
                                   : parse_yaml(source, memory, diagnostics);
  if (diagnostics.errors() != before) return {};
  return Reader(source, diagnostics).read(root);
}

Sidecar read_sidecar_of(const fs::path& file, Diagnostics& diagnostics) {
  const auto path = find_sidecar(file);
  if (!path) return {};
  warn_of_another(*path, diagnostics);
  return read_sidecar({path->string(), read_file(*path)}, diagnostics);
}

namespace {

std::string settings_text(const KernelSettings& settings) {
  std::string out;
  if (settings.platform) out += fmt::format("    platform: {}\n", *settings.platform);
  if (settings.backend) out += fmt::format("    backend: {}\n", yaml_word(text(*settings.backend)));
  if (settings.priority) out += fmt::format("    priority: {}\n", *settings.priority);
  if (settings.conditions.empty()) return out;
  out += "    supports:\n      where:\n";
  for (const std::string& condition : settings.conditions)
    out += fmt::format("        - {}\n", yaml_word(condition));
  return out;
}

}  // namespace

std::string write_sidecar(const std::map<std::string, KernelSettings>& kernels) {
  std::string out;
  for (const auto& [name, settings] : kernels) {
    const std::string said = settings_text(settings);
    if (!said.empty()) out += fmt::format("  - kernel_name: {}\n{}", yaml_word(name), said);
  }
  return out.empty() ? "" : fmt::format("schema: {}\nkernels:\n{}", schema_name, out);
}

bool is_source_name(std::string_view source, std::string_view file) {
  const std::size_t star = source.find('*');
  if (star == std::string_view::npos) return source == file;
  if (!file.starts_with(source.substr(0, star))) return false;
  const std::string_view rest = source.substr(star + 1);
  for (std::size_t i = star; i <= file.size(); ++i) {
    if (is_source_name(rest, file.substr(i))) return true;
  }
  return false;
}

KernelSettings settings_of(const Sidecar& sidecar, const std::string& kernel_name) {
  KernelSettings settings = sidecar.all;
  const auto own = sidecar.kernels.find(kernel_name);
  if (own == sidecar.kernels.end()) return settings;
  const KernelSettings& said = own->second;
  if (said.platform) settings.platform = said.platform;
  if (said.backend) settings.backend = said.backend;
  if (said.priority) settings.priority = said.priority;
  if (said.says_conditions) settings.conditions = said.conditions;
  return settings;
}

}  // namespace kbench
