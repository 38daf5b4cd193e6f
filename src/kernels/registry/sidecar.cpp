#include "kernels/registry/sidecar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "kernels/registry/ignored_parameters.hpp"
#include "kernels/registry/registry.hpp"
#include "kernels/registry/signature.hpp"
#include "problem/constraint.hpp"
#include "schema/place.hpp"
#include "schema/yaml.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using json::Kind;

constexpr std::string_view schema_name = "kbench.kernel/1";
constexpr std::string_view settings_keys[] = {"platform", "backend", "priority", "supports",
                                              "ignores"};
// Keys of gradients, shards and batches.
constexpr std::string_view other_sidecar_keys[] = {"nondiff", "residuals", "shard", "batch_axes"};

// Returns the value in Python's words.
std::optional<std::string> ignored_value(const json::Value& value) {
  const bool is_number = value.kind == Kind::integer || value.kind == Kind::number;
  if (value.kind == Kind::boolean) return value.truth ? "True" : "False";
  if (value.kind == Kind::null || value.text == "None") return "None";
  return is_number ? std::optional(std::string(value.text)) : std::nullopt;
}

class SidecarReader {
 public:
  SidecarReader(const Source& source, Diagnostics& out) : place_{source, out} {}

  // Reads the map that stands at `place`, a JSON pointer.
  Sidecar read(const json::Value& root, const std::string& place) {
    Sidecar sidecar;
    if (root.kind == Kind::null) return sidecar;  // sidecar is empty
    if (!root.is_object()) {
      place_.out.error(place_.at(root), "a sidecar is a map", "docs/kernels.md says what it holds");
      return sidecar;
    }
    for (const json::Member& member : root.members) {
      const std::string pointer = fmt::format("{}/{}", place, member.key);
      if (member.key == "schema") {
        check_schema(member.value, pointer);
      } else if (member.key == "kernels") {
        read_kernels(member.value, pointer, sidecar);
      } else if (member.key == "sources") {
        sidecar.sources = read_words(member.value, pointer, place_);
      } else if (member.key == "entry") {
        read_methods(member.value, pointer, sidecar);
      } else if (read_of_solution(member, pointer, sidecar)) {
        continue;
      } else if (!is_of_tunables(member.key) && !is_one_of(member.key, other_sidecar_keys)) {
        read_setting(member, pointer, sidecar.all);
      }
    }
    sidecar.tunables = read_tunables(root, place, place_);
    sidecar.tunables.supports = supported(root, place);
    for (const NamedPlace& axis : sidecar.batch_axes)
      sidecar.tunables.batch_axes.push_back(axis.name);
    return sidecar;
  }

 private:
  // Reads cuts, batches and gradients of a Solution; false for other keys.
  bool read_of_solution(const json::Member& member, const std::string& pointer, Sidecar& sidecar) {
    if (member.key == "shard")
      sidecar.shardings = read_shardings(member.value, place_, pointer);
    else if (member.key == "batch_axes")
      sidecar.batch_axes = read_places(member.value, pointer);
    else
      return read_gradient_key(member, pointer, place_, sidecar.gradients);
    return true;
  }

  // Returns the conditions with their places, so that their names can be held against the
  // Definition. Mistakes in them were reported as they were read as a setting.
  std::vector<Condition> supported(const json::Value& root, const std::string& place) const {
    const json::Value* const supports = root.find("supports");
    const json::Value* const where = supports == nullptr ? nullptr : supports->find("where");
    const json::Value* const ignores = root.find("ignores");
    Diagnostics said;
    const YamlPlace silent{place_.source, said};
    std::vector<Condition> all;
    if (where != nullptr) all = read_conditions(*where, place + "/supports/where", silent);
    if (ignores != nullptr) {
      for (Condition& one : ignored(*ignores, place + "/ignores", silent))
        all.push_back(std::move(one));
    }
    return all;
  }

  // Returns conditions of scalars that a kernel does not read: the value of each.
  static std::vector<Condition> ignored(const json::Value& value, const std::string& pointer,
                                        const YamlPlace& place) {
    std::vector<Condition> all;
    if (!value.is_object())
      place.wrong(value, pointer, "a map from scalar inputs to the values for which it serves",
                  "as in ignores: {window: -1}");
    for (const json::Member& member : value.members) {
      const std::string inside = fmt::format("{}/{}", pointer, member.key);
      if (const auto text = ignored_value(member.value))
        all.push_back(
            {ignored_condition(std::string(member.key), *text), place.key(member, inside)});
      else
        place.wrong(member.value, inside, "a number, true, false or None",
                    "conditions are over these: docs/tuning.md");
    }
    return all;
  }

  std::vector<NamedPlace> read_places(const json::Value& value, const std::string& pointer) {
    std::vector<NamedPlace> out;
    for (std::string& name : read_words(value, pointer, place_))
      out.push_back({std::move(name), {}});
    for (std::size_t i = 0; i < out.size() && out.size() == value.items.size(); ++i)
      out[i].where = place_.at(value.items[i], fmt::format("{}/{}", pointer, i));
    return out;
  }

  void check_schema(const json::Value& value, const std::string& pointer) {
    if (value.text != schema_name) place_.wrong(value, pointer, fmt::format("'{}'", schema_name));
  }

  void read_methods(const json::Value& value, const std::string& pointer, Sidecar& sidecar) {
    if (!value.is_object())
      place_.wrong(value, pointer, "a map from what is done to functions",
                   "as in entry: {run: run, vjp: backward}");
    const std::vector<std::string> known = method_names();
    for (const json::Member& member : value.members) {
      const std::string inside = fmt::format("{}/{}", pointer, member.key);
      const std::string method = named_as_here(std::string(member.key));
      if (std::find(known.begin(), known.end(), method) == known.end())
        place_.out.error(place_.key(member, inside),
                         fmt::format("unknown method \"{}\"", member.key),
                         did_you_mean(member.key, known));
      if (!member.value.is_string()) place_.wrong(member.value, inside, "the name of a function");
      auto& function = sidecar.methods[method] = member.value.text;
      sidecar.entry_functions.push_back({function, place_.at(member.value, inside)});
    }
  }

  void read_kernels(const json::Value& value, const std::string& pointer, Sidecar& sidecar) {
    if (value.kind != Kind::array) place_.wrong(value, pointer, "a list of kernels");
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
    } else if (member.key == "ignores") {
      for (const Condition& one : ignored(member.value, pointer, place_))
        settings.conditions.push_back(one.text);
      settings.says_conditions = true;
    } else {
      std::vector<std::string> known(std::begin(settings_keys), std::end(settings_keys));
      known.insert(known.end(), {"schema", "kernels", "sources", "entry"});
      known.insert(known.end(), std::begin(other_sidecar_keys), std::end(other_sidecar_keys));
      known.insert(known.end(), tunables_keys.begin(), tunables_keys.end());
      place_.out.error(place_.key(member, pointer), fmt::format("unknown key \"{}\"", member.key),
                       did_you_mean(member.key, known));
    }
  }

  void read_platform(const json::Value& value, const std::string& pointer,
                     KernelSettings& settings) {
    const Platform* const platform = find_platform(value.text);
    if (platform == nullptr)
      return place_.wrong(value, pointer, "a platform", "they are " + join(platform_names(), ", "));
    settings.platform = platform->name;
  }

  void read_backend(const json::Value& value, const std::string& pointer,
                    KernelSettings& settings) {
    settings.backend = parse_backend(value.text);
    if (!settings.backend) place_.wrong(value, pointer, "a backend", "they are " + backend_words());
  }

  void read_priority(const json::Value& value, const std::string& pointer,
                     KernelSettings& settings) {
    int priority = 0;
    std::string_view digits = value.text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const char* const end = digits.data() + digits.size();
    const auto [last, failure] = std::from_chars(digits.data(), end, priority);
    if (value.kind != Kind::integer || failure != std::errc() || last != end)
      return place_.wrong(value, pointer, "an integer");
    settings.priority = priority;
  }

  void read_supports(const json::Value& value, const std::string& pointer,
                     KernelSettings& settings) {
    if (!value.is_object()) return place_.wrong(value, pointer, "a map with where");
    for (const json::Member& member : value.members) {
      const std::string inside = fmt::format("{}/{}", pointer, member.key);
      if (member.key == "where") {
        for (const Condition& one : read_conditions(member.value, inside, place_))
          settings.conditions.push_back(one.text);
        settings.says_conditions = true;
      } else {
        place_.out.error(place_.key(member, inside), fmt::format("unknown key \"{}\"", member.key),
                         "supports has where: conditions over the call");
      }
    }
  }

  YamlPlace place_;
};

constexpr std::string_view extensions[] = {".json", ".yaml"};  // the first one counts

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

void warn_of_another(const fs::path& counts, Diagnostics& out) {
  for (const std::string_view extension : extensions) {
    const fs::path other = fs::path(counts).replace_extension(extension);
    if (other != counts && is_file(other))
      out.warning({other.string()},
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
  return SidecarReader(source, diagnostics).read(root, "");
}

Sidecar read_sidecar_of(const fs::path& file, Diagnostics& diagnostics) {
  const auto path = find_sidecar(file);
  if (!path) return {};
  warn_of_another(*path, diagnostics);
  try {
    return read_sidecar({path->string(), read_file(*path)}, diagnostics);
  } catch (const std::system_error& problem) {
    diagnostics.error({path->string()}, "cannot be read: " + problem.code().message());
    return {};
  }
}

namespace {

Sidecar any_sidecar_of(const Stored<Solution>& solution, Diagnostics& diagnostics) {
  if (!solution.record.spec.kbench) return read_sidecar_of(solution.path, diagnostics);
  if (const auto path = find_sidecar(solution.path))
    diagnostics.warning({path->string()},
                        "is not read: spec.kbench of the Solution beside it counts");
  return sidecar_in({solution.path, read_file(solution.path)}, diagnostics);
}

}  // namespace

Sidecar sidecar_of(const Stored<Solution>& solution, Diagnostics& diagnostics) {
  Sidecar sidecar = any_sidecar_of(solution, diagnostics);
  const Implementation one = implementation_of(solution, sidecar.all);
  sidecar.tunables.implementation = implementation_facts(one.platform, one.backend);
  for (Parameter& parameter : sidecar.tunables.parameters)  // Python has no macros
    if (is_python(solution.record) && !parameter.says_kind) parameter.kind = ParameterKind::runtime;
  return sidecar;
}

Sidecar sidecar_in(const Source& source, Diagnostics& diagnostics) {
  json::Memory memory;
  Diagnostics read;  // warnings were given when the Solution was read
  const json::Value root = json::parse(source, 0, source.text.size(), memory, read);
  if (read.errors() > 0) diagnostics.append(std::move(read));
  const json::Value* const spec = root.find("spec");
  const json::Value* const said = spec == nullptr ? nullptr : spec->find("kbench");
  return said == nullptr ? Sidecar{}
                         : SidecarReader(source, diagnostics).read(*said, "/spec/kbench");
}

std::vector<std::string> declared_parameters(const Stored<Solution>& solution) {
  Diagnostics ignored;
  std::vector<std::string> names;
  for (const Parameter& parameter : sidecar_of(solution, ignored).tunables.parameters)
    names.push_back(parameter.name);
  return names;
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
  for (std::size_t i = star; i <= file.size(); ++i)
    if (is_source_name(rest, file.substr(i))) return true;
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
