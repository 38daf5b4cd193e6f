// kbench kernels select: what a program needs of kernel libraries.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/kernel_set.hpp"
#include "cli/kernels.hpp"
#include "cli/names.hpp"
#include "cli/output.hpp"
#include "cli/targets.hpp"
#include "cli/terminal.hpp"
#include "registry/lookup.hpp"
#include "registry/meta_text.hpp"
#include "registry/operator_binding.hpp"
#include "registry/scalar_type.hpp"
#include "registry/selected_kernels.hpp"
#include "registry/selection.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  KernelOptions kernels;
  std::vector<std::string> ops;
  std::string dictionary;
  std::vector<std::string> yamls;
  std::vector<std::string> selections;
  std::vector<std::string> traces;
  std::vector<std::string> definitions;
  bool all = false;
  bool no_overlap = false;
  std::string output;
  std::string format = "yaml";
};

// Gathers what each source asks for; mistakes are reported.
class Gatherer {
 public:
  Gatherer(const Options& options, const KernelSet& kernels, Diagnostics& out)
      : options_(options), kernels_(kernels), out_(out) {}

  OperatorSelection gather() {
    selection_.include_all_operators = options_.all;
    for (const std::string& words : options_.ops) add_words(words);
    if (!options_.dictionary.empty()) add_dictionary();
    for (const std::string& file : options_.yamls) add_yaml(file);
    for (const std::string& file : options_.selections) add_selection(file);
    for (const std::string& name : options_.definitions) add_definition(name);
    if (!options_.traces.empty()) add_traces();
    check_names();
    const bool is_empty = selection_.operators.empty() && !selection_.include_all_operators;
    if (is_empty && !is_from_files() && out_.errors() == 0)
      wrong("select", "nothing is selected",
            "--ops add.out, --trace, --definition, --selection, --ops-yaml, or --all");
    return std::move(selection_);
  }

 private:
  // These may be without operators of their own accord.
  bool is_from_files() const {
    return !options_.traces.empty() || !options_.selections.empty() || !options_.yamls.empty() ||
           !options_.dictionary.empty();
  }

  void wrong(const std::string& what, std::string message, std::string hint = "") {
    out_.error({what, 0, 0, "", ""}, std::move(message), std::move(hint));
  }

  // With commas between them, or blanks where there is none.
  void add_words(const std::string& words) {
    const char separator = words.find(',') == std::string::npos ? ' ' : ',';
    for (const std::string_view word : split(words, separator)) {
      if (!trim(word).empty()) add(std::string(trim(word)), "default", "--ops");
    }
  }

  void add(const std::string& op, const std::string& key, const std::string& asked_by) {
    select(selection_, ops::full_name(op), key, asked_by);
  }

  // {"aten::add.out": ["Float", "v1/3;0,1|3;0,1"], "aten::mul.out": []}, or @ and a file of that.
  void add_dictionary() {
    const bool is_file = options_.dictionary.starts_with('@');
    const std::string path = is_file ? options_.dictionary.substr(1) : "--ops-dict";
    if (is_file && !is_there(path)) return wrong(path, "no such file");
    const Source source{path, is_file ? read_file(path) : options_.dictionary};
    json::Memory memory;
    const json::Value root = json::parse(source, 0, source.text.size(), memory, out_);
    if (root.kind == json::Kind::broken) return;
    if (!root.is_object())
      return out_.error(locate(source, root.begin),
                        "must be a map from operators to lists of keys");
    for (const json::Member& member : root.members) add_member(member, source);
  }

  void add_member(const json::Member& member, const Source& source) {
    const std::string op(member.key);
    if (member.value.kind != json::Kind::array)
      return out_.error(locate(source, member.value.begin), "must be a list of dtypes or keys");
    if (member.value.items.empty()) add(op, "default", "--ops-dict");
    for (const json::Value& item : member.value.items) {
      const std::string key = selection_key(item.text);
      if (key.empty()) {
        out_.error(locate(source, item.begin), fmt::format("Unknown dtype: {}", item.text),
                   "a dtype, as in Float, or a key, as in v1/6;0,1|6;0,1");
      } else if (const std::string why = key_problem(op, item.text); !why.empty()) {
        out_.error(locate(source, item.begin), why);
      } else {
        add(op, key, "--ops-dict");
      }
    }
  }

  // "" for a dtype, and for a key that calls of the operator can have. An operator that is not
  // known is reported by its name.
  std::string key_problem(const std::string& op, std::string_view word) const {
    const auto schema = find_schema(kernels_, op);
    std::string why;
    const bool is_dtype = !word.starts_with("v1/") || (word.ends_with(';') && is_dtype_key(word));
    if (schema && !is_dtype) parse_meta(word, *schema, why);
    return why;
  }

  // "v1/6;", as the selection has it for Float.
  static bool is_dtype_key(std::string_view word) {
    std::string why;
    const auto key = parse_key(word, why);
    return key && key->size() == 1 && key->front().scalar_type &&
           find_scalar_type(*key->front().scalar_type) != nullptr;
  }

  void add_yaml(const std::string& file) {
    if (!is_there(file)) return wrong(file, "no such file");
    const KernelLibrary library =
        read_kernel_library({file, read_file(file)}, ops::installed_catalogue(), out_);
    for (const OperatorEntry& entry : library.operators)
      add(ops::full_name(entry.schema.name), "default", file);
  }

  void add_selection(const std::string& file) {
    if (!is_there(file)) return wrong(file, "no such file");
    const auto read = read_selection({file, read_file(file)}, out_);
    if (!read) return;
    for (const auto& [name, one] : read->operators) {
      const auto [owner, is_new] = owners_.try_emplace(name, file);
      if (!is_new && options_.no_overlap)
        wrong(file,
              fmt::format("Operator {} is used in 2 models: {} and {}", name, owner->second, file));
    }
    selection_ = unite(selection_, *read);
  }

  void add_call(const Definition& definition, const std::string& asked_by) {
    if (const auto query = query_for(definition, kernels_, out_)) {
      if (query->op.empty())
        return wrong(definition.name, "is linked to no operator", "a tag \"op:ns::name.overload\"");
      add(query->op, query->key ? key_text(*query->key) : "default", asked_by);
    }
  }

  void add_definition(const std::string& name) {
    const Definition* const definition = kernels_.definition(name);
    if (definition == nullptr) return wrong(name, "there is no such definition");
    add_call(*definition, name);
  }

  void add_traces() {
    for (const Target& target : load_targets(options_.traces, options_.kernels.root, {}, out_)) {
      std::vector<const Definition*> seen;
      for (const Stored<Trace>& line : target.workloads) {
        const Definition* const definition = target.set.definition(line.record.definition);
        if (definition == nullptr || is_in(seen, definition)) continue;
        seen.push_back(definition);
        if (!linked_operator(*definition)) continue;  // judged by kbench, no operator's call
        add_call(*definition, line.path);
      }
    }
  }

  static bool is_in(const std::vector<const Definition*>& all, const Definition* one) {
    return std::find(all.begin(), all.end(), one) != all.end();
  }

  bool is_known(const std::string& name) const {
    if (kernels_.schema(name) != nullptr) return true;
    return kernels_.libraries.empty() && find_schema(kernels_, name).has_value();
  }

  // What no library has would be missing when the program runs.
  void check_names() {
    const std::vector<std::string> known = operator_names(kernels_.libraries);
    for (const auto& [name, one] : selection_.operators) {
      if (one.include_all_overloads || is_known(name)) continue;
      wrong(name, kernels_.libraries.empty() ? "unknown operator" : "no library has this operator",
            overloads_of(name, known));
    }
  }

  static std::string overloads_of(const std::string& name, const std::vector<std::string>& known) {
    const ops::Catalogue* const catalogue = ops::installed_catalogue();
    if (!known.empty() || catalogue == nullptr) return near_operators(name, known);
    const auto overloads = catalogue->overloads(ops::packet_name(name));
    return overloads.empty() ? "" : "its overloads are " + join(overloads, ", ");
  }

  const Options& options_;
  const KernelSet& kernels_;
  Diagnostics& out_;
  OperatorSelection selection_;
  std::map<std::string, std::string> owners_;  // of operators: the selection that has them first
};

std::string selection_json(const OperatorSelection& selection) {
  Json operators = Json::object();
  for (const auto& [name, one] : selection.operators) {
    const auto keys = selection.kernels.find(name);
    operators[name] = keys == selection.kernels.end() ? Json::array() : Json(keys->second);
  }
  return Json{{"operators", operators}}.dump(2) + "\n";
}

std::string file_for(const std::string& output) {
  return is_folder(output) ? output + "/selected_operators.yaml" : output;
}

int select_kernels(const Options& options) {
  Diagnostics problems;
  KernelOptions which = options.kernels;
  which.needs_definitions = true;
  KernelSet kernels;
  if (!which.words.empty() || find_root(which.root)) kernels = load_kernels(which, problems);
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  const OperatorSelection selection = Gatherer(options, kernels, problems).gather();
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  const auto chosen = selected_kernels(kernels.libraries, selection, problems);
  if (problems.errors() > 0) return exit_after(problems, exit_negative);
  const std::string text =
      options.format == "json" ? selection_json(selection) : write_selection(selection);
  write_output(options.output.empty() ? "" : file_for(options.output), text, problems);
  if (!kernels.libraries.empty())
    tell(fmt::format("{}: {} of {} kernels\n", counted(selection.operators.size(), "operator"),
                     chosen.size(), all_kernels(kernels.libraries).size()));
  return exit_after(problems, exit_good);
}

}  // namespace

std::function<int()> declare_kernels_select(CLI::App& app) {
  auto options = std::make_shared<Options>();
  declare_libraries(app, options->kernels);
  app.add_option("--ops", options->ops, "Operators: \"add.out,mul.out\"")
      ->allow_extra_args(false)
      ->option_text("OPS");
  app.add_option("--ops-dict", options->dictionary,
                 "Operators and what they are called with, in JSON or @FILE: {\"add.out\": "
                 "[\"Float\"]}")
      ->option_text("JSON");
  app.add_option("--ops-yaml", options->yamls, "All operators of a kernel yaml")
      ->allow_extra_args(false)
      ->option_text("YAML");
  app.add_option("--selection", options->selections, "What other selections have")
      ->allow_extra_args(false)
      ->option_text("YAML");
  app.add_flag("--no-overlap", options->no_overlap,
               "An operator that two of the selections have is a mistake");
  app.add_option("--trace", options->traces,
                 "The calls of workload files, trace files and trace sets")
      ->allow_extra_args(false)
      ->option_text("PATH");
  app.add_option("--definition", options->definitions, "The calls of a Definition")
      ->allow_extra_args(false)
      ->option_text("NAME");
  app.add_flag("--all", options->all, "Every operator");
  app.add_option("-o,--output", options->output,
                 "Where the selection goes: a file, or a folder for selected_operators.yaml; "
                 "default: stdout")
      ->option_text("FILE");
  app.add_option("--format", options->format, "yaml or json")
      ->check(CLI::IsMember({"yaml", "json"}))
      ->option_text("FORMAT");
  return [options] { return select_kernels(*options); };
}

}  // namespace kbench
