// kbench kernels select: the kernels that a program needs of libraries.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/kernels/kernels.hpp"
#include "cli/kernels/selection_check.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "kernels/contract/kernel_set.hpp"
#include "kernels/registry/operator_binding.hpp"
#include "kernels/registry/selected_kernels.hpp"
#include "kernels/registry/selection.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct KernelsSelectOptions {
  KernelOptions kernels;
  std::vector<std::string> ops;
  std::string dictionary;
  std::vector<std::string> yamls;
  std::vector<std::string> selections;
  std::vector<std::string> models;
  std::vector<std::string> traces;
  std::vector<std::string> definitions;
  bool all = false;
  bool no_overlap = false;
  std::string output;
  std::string format = "yaml";
  bool force = false;
};

// Gathers what each source asks for; mistakes are reported.
class Gatherer {
 public:
  Gatherer(const KernelsSelectOptions& options, const KernelSet& kernels, Diagnostics& out)
      : options_(options), kernels_(kernels), out_(out) {}

  OperatorSelection gather() {
    selection_.include_all_operators = options_.all;
    for (const std::string& words : options_.ops) add_words(words);
    if (!options_.dictionary.empty()) add_dictionary();
    for (const std::string& file : options_.yamls) add_yaml(file);
    for (const std::string& file : options_.selections) add_selection(file);
    for (const std::string& file : options_.models) add_model(file);
    for (const std::string& name : options_.definitions) add_definition(name);
    if (!options_.traces.empty()) add_traces();
    check_selected_names(selection_, kernels_, {}, Level::error, out_);
    const bool is_empty = selection_.operators.empty() && !selection_.include_all_operators;
    if (is_empty && !is_from_files() && out_.errors() == 0)
      wrong("select", "nothing is selected",
            "--ops add.out, --model, --trace, --definition, --selection, --ops-yaml, or --all");
    return std::move(selection_);
  }

 private:
  // Tells whether files are given, which may be without operators of their own accord.
  bool is_from_files() const {
    return !options_.traces.empty() || !options_.selections.empty() || !options_.yamls.empty() ||
           !options_.models.empty() || !options_.dictionary.empty();
  }

  void wrong(const std::string& what, std::string message, std::string hint = "") {
    out_.error({what}, std::move(message), std::move(hint));
  }

  // Splits at commas, or at blanks where there is none.
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
      } else if (const std::string why = selected_key_problem(kernels_, op, item.text);
                 !why.empty()) {
        out_.error(locate(source, item.begin), why);
      } else {
        add(op, key, "--ops-dict");
      }
    }
  }

  void add_yaml(const std::string& file) {
    if (!is_there(file)) return wrong(file, "no such file");
    const KernelLibrary library =
        read_kernel_library({file, read_file(file)}, ops::installed_catalogue(), out_);
    for (const OperatorEntry& entry : library.operators)
      add(ops::full_name(entry.schema.name), "default", file);
  }

  void add_model(const std::string& file) {
    if (!is_there(file)) return wrong(file, "no such file");
    select_of_model(file, kernels_, selection_, out_);
  }

  void add_selection(const std::string& file) {
    if (!is_there(file)) return wrong(file, "no such file");
    const Source source{file, read_file(file)};
    const auto read = read_selection(source, out_);
    if (!read) return;
    check_selected_keys(*read, kernels_, source, out_);
    for (const auto& [name, one] : read->operators) {
      const auto [owner, is_new] = owners_.try_emplace(name, file);
      if (!is_new && options_.no_overlap)
        wrong(file,
              fmt::format("Operator {} is used in 2 models: {} and {}", name, owner->second, file));
    }
    selection_ = unite(selection_, *read);
  }

  void add_call(const Definition& definition, const TraceSet& set, const std::string& asked_by) {
    if (const auto query = query_for(definition, set, kernels_, out_)) {
      if (query->op.empty()) return wrong(definition.name, "is linked to no operator", link_hint);
      add(query->op, query->key ? key_text(*query->key) : "default", asked_by);
    }
  }

  void add_definition(const std::string& name) {
    if (!kernels_.set)
      return wrong(name, "there is no trace set that has it", "run in one, or say --root DIR");
    const Definition* const definition = kernels_.definition(name);
    if (definition == nullptr)
      return wrong(name, "there is no such definition", definition_hint(name, *kernels_.set));
    add_call(*definition, *kernels_.set, name);
  }

  void add_traces() {
    for (const Target& target : load_targets(options_.traces, options_.kernels.root, {}, out_)) {
      for (const auto& [definition, line] : definitions_of(target.set, target.workloads, out_)) {
        if (!linked_operator(*definition)) {  // judged by kbench, no operator's call
          out_.warning({line->path, line->line, 1, "", ""},
                       fmt::format("{} is linked to no operator: nothing is selected for it",
                                   definition->name),
                       link_hint);
        } else {
          add_call(*definition, target.set, line->path);
        }
      }
    }
  }

  static constexpr const char* link_hint = "a tag \"op:ns::name.overload\"";
  const KernelsSelectOptions& options_;
  const KernelSet& kernels_;
  Diagnostics& out_;
  OperatorSelection selection_;
  std::map<std::string, std::string> owners_;  // first selection that has the operator
};

constexpr std::string_view yaml_mark = "# Written by kbench kernels select; changes here are lost.";
constexpr std::string_view json_schema = "kbench.selection/1";

std::string selection_json(const OperatorSelection& selection) {
  Json operators = Json::object();
  for (const auto& [name, one] : selection.operators) {
    const auto keys = selection.kernels.find(name);
    operators[name] = keys == selection.kernels.end() ? Json::array() : Json(keys->second);
  }
  return Json{{"schema", json_schema}, {"operators", operators}}.dump(2) + "\n";
}

std::string json_mark() { return fmt::format("{{\n  \"schema\": \"{}\"", json_schema); }

std::string file_for(const KernelsSelectOptions& options) {
  if (options.output.empty() || !is_folder(options.output)) return options.output;
  return options.output + "/selected_operators." + options.format;
}

// Files that it must not write over.
std::vector<std::filesystem::path> inputs_of(const KernelsSelectOptions& options,
                                             const KernelSet& kernels) {
  std::vector<std::filesystem::path> inputs = files_of(kernels);
  for (const auto* const names :
       {&options.yamls, &options.selections, &options.models, &options.traces})
    inputs.insert(inputs.end(), names->begin(), names->end());
  if (options.dictionary.starts_with('@')) inputs.emplace_back(options.dictionary.substr(1));
  return inputs;
}

// 0 where it is written.
int write_selected(const KernelsSelectOptions& options, const KernelSet& kernels,
                   const OperatorSelection& selection, Diagnostics& out) {
  const bool is_json = options.format == "json";
  const std::string file = file_for(options);
  const std::string mark = is_json ? json_mark() : std::string(yaml_mark);
  if (!may_write(file, {mark, options.force, inputs_of(options, kernels)}, out)) return exit_input;
  const std::string text = is_json ? selection_json(selection)
                                   : fmt::format("{}\n{}", yaml_mark, write_selection(selection));
  return write_output(file, text, out) ? exit_good : exit_environment;
}

std::size_t operators_of(const std::vector<SelectedKernel>& chosen) {
  std::set<std::string> names;
  for (const SelectedKernel& one : chosen) names.insert(ops::full_name(one.entry->schema.name));
  return names.size();
}

int select_kernels(const KernelsSelectOptions& options) {
  Diagnostics problems;
  KernelOptions which = options.kernels;
  which.needs_definitions = true;
  KernelSet kernels;
  if (!which.words.empty() || find_root(which.root)) kernels = load_kernels(which, problems);
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  const OperatorSelection selection = Gatherer(options, kernels, problems).gather();
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  const bool is_empty = selection.operators.empty() && !selection.include_all_operators;
  if (is_empty && !options.traces.empty()) {
    tell("nothing is selected: no workload is of a definition that calls an operator\n");
    return exit_after(problems, exit_undecided);
  }
  const auto chosen = selected_kernels(kernels.libraries, selection, problems);
  if (problems.errors() > 0) return exit_after(problems, exit_negative);
  const int status = write_selected(options, kernels, selection, problems);
  if (status == exit_good && !kernels.libraries.empty())
    tell(fmt::format("{}: {} of {} kernels\n", counted(operators_of(chosen), "operator"),
                     chosen.size(), all_kernels(kernels.libraries).size()));
  return exit_after(problems, status);
}

}  // namespace

std::function<int()> declare_kernels_select(CommandLine line) {
  auto options = std::make_shared<KernelsSelectOptions>();
  declare_libraries(line, options->kernels);
  line.add_option("--ops OPS", options->ops, "Operators: \"add.out,mul.out\"").one_word();
  line.add_option("--ops-dict JSON", options->dictionary,
                  "Operators and what they are called with, in JSON or @FILE: {\"add.out\": "
                  "[\"Float\"]}");
  line.add_option("--ops-yaml YAML", options->yamls, "All operators of a kernel yaml").one_word();
  line.add_option("--model FILE", options->models,
                  "The calls of programs of ExecuTorch, .pte files")
      .one_word();
  line.add_option("--selection YAML", options->selections, "What other selections have").one_word();
  line.add_flag("--no-overlap", options->no_overlap,
                "An operator that two of the selections have is a mistake");
  line.add_option("--trace PATH", options->traces,
                  "The calls of workload files, trace files and trace sets")
      .one_word();
  line.add_option("--definition NAME", options->definitions, "The calls of a Definition")
      .one_word();
  line.add_flag("--all", options->all, "Every operator");
  line.add_option("-o,--output FILE", options->output,
                  "Where the selection goes: a file, or a folder for selected_operators.yaml; "
                  "default: stdout");
  line.add_flag("--force", options->force, "Write over a file that kbench did not write");
  line.add_option("--format FORMAT", options->format, "yaml or json").one_of({"yaml", "json"});
  return [options] { return select_kernels(*options); };
}

}  // namespace kbench
