// kbench kernels define: a Definition to begin with, from an operator's schema.
#include "cli/kernels/kernels_define.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/kernels/kernels.hpp"
#include "cli/scaffold/described_definition.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "kernels/contract/kernel_set.hpp"
#include "kernels/operators/catalogue.hpp"
#include "kernels/operators/name_rules.hpp"
#include "kernels/registry/operator_arguments.hpp"
#include "schema/targets.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

// An input is a parameter of `run`.
std::string name_in_python(const std::string& name) {
  return ops::is_python_keyword(name) ? name + "_" : name;
}

// Type that a tensor of that name holds in PyTorch's operators, as far as its name tells.
DType dtype_by_name(std::string_view name) {
  if (is_one_of(name, {"index", "indices"})) return DType::int64;
  return is_one_of(name, {"condition", "mask"}) ? DType::boolean : DType::float32;
}

// Type that an operator of that name returns.
DType dtype_of_result(std::string_view base, std::string_view name) {
  if (is_one_of(base, {"argmax", "argmin"})) return DType::int64;
  const bool is_truth =
      is_one_of(base, {"eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "any", "all",
                       "logical_and", "logical_or", "logical_xor", "logical_not"});
  return is_truth ? DType::boolean : dtype_by_name(name);
}

std::optional<DType> dtype_of_number(const ops::Type& type) {
  if (!type.modifiers.empty()) return std::nullopt;
  switch (type.base) {
    case ops::BaseType::integer:
    case ops::BaseType::sym_int:
      return DType::int64;
    case ops::BaseType::floating:
    case ops::BaseType::scalar:
      return DType::float32;
    case ops::BaseType::boolean:
      return DType::boolean;
    default:
      return std::nullopt;
  }
}

Json json_of(const OrderedMap<TensorSpec>& tensors) {
  Json all = Json::object();
  for (const auto& [name, spec] : tensors)
    all[name] = {{"shape", spec.shape ? Json(*spec.shape) : Json()},
                 {"dtype", info(spec.dtype).name}};
  return all;
}

Json json_of(const OrderedMap<Axis>& axes) {
  Json all = Json::object();
  for (const auto& [name, axis] : axes) {
    const auto value = const_value(axis);
    all[name] = value ? Json{{"type", "const"}, {"value", *value}} : Json{{"type", "var"}};
  }
  return all;
}

// The draft, part by part. Tensors that nothing is said of have the same axes if the operator goes
// element by element; otherwise each is a matrix of axes of its own, and the reader says which
// belong together.
class Draft {
 public:
  Draft(const ops::Schema& schema, bool is_pointwise, std::vector<std::string>& problems)
      : schema_(schema), is_pointwise_(is_pointwise), problems_(problems) {
    draft_.name = "op_" + ops::usual_kernel_name(schema.name);
    draft_.op_type = "op";
    draft_.description = "TODO: what it is for; from " + ops::text(schema);
    draft_.tags = {"op:" + ops::full_name(schema.name)};
  }

  Definition made(const DraftWords& words) {
    take(words);
    for (const auto* arguments : {&schema_.positional, &schema_.keyword_only})
      for (const ops::Argument& argument : *arguments) add_input(argument);
    for (const auto& [name, spec] : said_.inputs) draft_.inputs[name] = spec;
    said_.outputs.empty() ? add_outputs() : take_outputs();
    if (!given_.empty()) draft_.op_arguments = RawJson{given_.dump()};
    return std::move(draft_);
  }

  // The arguments for which something has to be said.
  const std::vector<std::string>& open() const { return open_; }

 private:
  void take(const DraftWords& words) {
    for (const std::string& word : words.inputs) take(describe_tensor(word, said_, said_.inputs));
    for (const std::string& word : words.outputs) take(describe_tensor(word, said_, said_.outputs));
    draft_.axes = said_.axes;
    for (const std::string& word : words.arguments) {
      const std::size_t equals = word.find('=');
      if (equals == word.npos)
        return take(fmt::format("\"{}\" is not NAME=VALUE, as in dim=[1]", word));
      const std::string value = word.substr(equals + 1);
      const Json read = Json::parse(value, nullptr, false);
      given_[word.substr(0, equals)] = read.is_discarded() ? Json(value) : read;
    }
  }

  void take(std::string problem) {
    if (!problem.empty()) problems_.push_back(std::move(problem));
  }

  std::vector<std::string> axes_for(const std::string& name) {
    std::vector<std::string> axes = {name + "_rows", name + "_columns"};
    if (is_pointwise_) axes = {"rows", "columns"};
    for (const auto& [input, spec] : said_.inputs)
      if (is_pointwise_ && spec.shape) return *spec.shape;
    for (const std::string& axis : axes) draft_.axes[axis] = AxisVar{};
    return axes;
  }

  void add_outputs() {
    const bool has_out = !schema_.out.empty();
    const std::size_t count = has_out ? schema_.out.size() : schema_.returns.size();
    for (std::size_t i = 0; i < count; ++i) {
      std::string name = has_out ? name_in_python(schema_.out[i].name) : schema_.returns[i].name;
      if (name.empty()) name = fmt::format("out{}", i);
      const DType dtype = dtype_of_result(schema_.name.base, name);
      if (has_out && schema_.out[i].type.has_list()) {
        add_list(schema_.out[i], dtype, draft_.outputs);
      } else {
        draft_.outputs[name] = {axes_for(name), dtype, {}};
      }
    }
  }

  // A list that is written gets all of them.
  void take_outputs() {
    draft_.outputs = said_.outputs;
    const bool is_list = schema_.out.size() == 1 && schema_.out[0].type.has_list();
    if (!is_list || given_.contains(schema_.out[0].name)) return;
    Json names = Json::array();
    for (const auto& [name, spec] : said_.outputs) names.push_back(name);
    given_[schema_.out[0].name] = names;
  }

  void add_input(const ops::Argument& argument) {
    const std::string name = name_in_python(argument.name);
    if (given_.contains(argument.name)) return;
    if (const TensorSpec* const said = said_.inputs.find(name)) {
      draft_.inputs[name] = *said;
    } else if (!add_unsaid(name, argument)) {
      return;
    }
    if (name != argument.name) given_[argument.name] = name;
  }

  // Adds an input of that name, if it needs one; tells whether one was added.
  bool add_unsaid(const std::string& name, const ops::Argument& argument) {
    const ops::Type& type = argument.type;
    const bool is_tensor = type.base == ops::BaseType::tensor;
    if (is_tensor && type.has_list()) {
      add_list(argument, dtype_by_name(name), draft_.inputs);
      return false;
    }
    if (argument.default_value || type.is_optional()) return false;  // the schema says it
    if (is_tensor) {
      draft_.inputs[name] = {axes_for(name), dtype_by_name(name), {}};
    } else if (const auto dtype = dtype_of_number(type)) {
      draft_.inputs[name] = {std::nullopt, *dtype, {}};
    } else {
      given_[argument.name] = type.has_list() ? Json::array() : Json("TODO");
      open_.push_back(argument.name);
      return false;
    }
    return true;
  }

  // Two tensors, for a beginning.
  void add_list(const ops::Argument& argument, DType dtype, OrderedMap<TensorSpec>& to) {
    Json names = Json::array();
    for (int i = 0; i < 2; ++i) {
      const std::string name = fmt::format("{}_{}", argument.name, i);
      names.push_back(name);
      to[name] = {axes_for(name), dtype, {}};
    }
    given_[argument.name] = names;
  }

  const ops::Schema& schema_;
  bool is_pointwise_;
  std::vector<std::string>& problems_;
  Definition said_;  // stated by words
  Definition draft_;
  Json given_ = Json::object();  // op_arguments
  std::vector<std::string> open_;
};

bool is_pytorchs(const ops::Schema& schema) {
  return schema.name.name_space.empty() || schema.name.name_space == "aten";
}

std::string reference_of(const Definition& definition, const ops::Schema& schema,
                         const ops::Catalogue* catalogue, const std::vector<std::string>& open,
                         std::vector<std::string>& problems) {
  const std::string name = ops::full_name(schema.name);
  if (!is_pytorchs(schema) || catalogue == nullptr)
    return unwritten_reference(definition, "what " + name + " computes");
  if (!catalogue->functional_of(schema))
    return unwritten_reference(definition, fmt::format("what {} computes: PyTorch has no function "
                                                       "that returns what it writes",
                                                       name));
  if (!open.empty())
    return unwritten_reference(
        definition, fmt::format("first say {} of {} in op_arguments", join(open, " and "), name));
  const auto binding = bind_operator(definition, schema, problems);
  std::string why;
  const std::string text = binding ? operator_reference(definition, *binding, why) : "";
  return text.empty() ? unwritten_reference(definition, why) : text;
}

}  // namespace

std::string operator_draft(const ops::Schema& schema, const DraftWords& words,
                           const ops::Catalogue* catalogue, std::vector<std::string>& problems) {
  const bool is_pointwise =
      is_pytorchs(schema) && catalogue != nullptr &&
      catalogue->has_tag(ops::text_without_namespace(schema.name), "pointwise");
  Draft draft(schema, is_pointwise, problems);
  const Definition made = draft.made(words);
  Json json = {{"name", made.name},
               {"description", *made.description},
               {"op_type", made.op_type},
               {"tags", made.tags},
               {"axes", json_of(made.axes)},
               {"inputs", json_of(made.inputs)},
               {"outputs", json_of(made.outputs)}};
  json["reference"] = reference_of(made, schema, catalogue, draft.open(), problems);
  if (made.op_arguments) json["op_arguments"] = Json::parse(made.op_arguments->text);
  return json.dump(2) + "\n";
}

namespace {

struct KernelsDefineOptions {
  KernelOptions kernels;
  std::string op;
  DraftWords words;
  std::string output;
  bool force = false;
};

// Finds the schema in the libraries that are named; with none named, in PyTorch, else in the
// current trace set.
std::optional<ops::Schema> schema_of(const KernelsDefineOptions& options, KernelSet& libraries,
                                     Diagnostics& out) {
  const bool is_named = !options.kernels.words.empty() || !options.kernels.root.empty();
  auto known = is_named ? std::nullopt : find_schema({}, options.op);
  if (known || (!is_named && !find_root(""))) return known;
  libraries = load_kernels(options.kernels, out);
  return find_schema(libraries, options.op);
}

int define(const KernelsDefineOptions& options) {
  Diagnostics problems;
  KernelSet libraries;
  const auto schema = schema_of(options, libraries, problems);
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  if (!schema) {
    const std::string hint = operator_hint(options.op, libraries);
    problems.error({options.op}, "no schema of this operator is known",
                   hint.empty() ? "name the library that declares it" : hint);
    return exit_after(problems, exit_input);
  }
  if (!may_write(options.output, {"", options.force, files_of(libraries)}, problems))
    return exit_after(problems, exit_input);
  std::vector<std::string> wrong;
  const std::string text =
      operator_draft(*schema, options.words, ops::installed_catalogue(), wrong);
  for (std::string& one : wrong) problems.error({options.op}, std::move(one));
  if (!wrong.empty()) return exit_after(problems, exit_input);
  const bool is_written = write_output(options.output, text, problems);
  return exit_after(problems, is_written ? exit_good : exit_environment);
}

}  // namespace

std::function<int()> declare_kernels_define(CommandLine line) {
  auto options = std::make_shared<KernelsDefineOptions>();
  line.add_option("op OP", options->op, "The operator: add.out, or ns::name.overload").required();
  declare_libraries(line, options->kernels);
  line.add_option("--input NAME:AXES:DTYPE...", options->words.inputs,
                  "A tensor or number that it is given: self:rows,d=64:float32, where d has one "
                  "length and rows each workload's; of a number alpha::float32");
  line.add_option("--result NAME:AXES:DTYPE...", options->words.outputs, "A tensor that it writes");
  line.add_option("--argument NAME=VALUE...", options->words.arguments,
                  "What another argument is given, as op_arguments have it: dim=[1], keepdim=true");
  line.add_option("-o,--output FILE", options->output,
                  "Where the Definition goes; default: stdout");
  line.add_flag("--force", options->force, "Write over a file that is there");
  return [options] { return define(*options); };
}

}  // namespace kbench
