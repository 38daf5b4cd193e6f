// kbench kernels define: a Definition to begin with, from an operator's schema.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/kernels/kernels.hpp"
#include "cli/kernels/library_options.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/report_printer.hpp"
#include "contract/kernel_set.hpp"
#include "operators/name_rules.hpp"
#include "operators/prototype.hpp"
#include "schema/find_files.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct KernelsDefineOptions {
  KernelOptions kernels;
  std::string op;
  std::string output;
  bool force = false;
};

// The draft, part by part. Every tensor is a matrix of axes of its own: what belongs together is
// for the reader to say.
class Draft {
 public:
  explicit Draft(const ops::Schema& schema) : schema_(schema) {}

  Json json() {
    for (const ops::Argument* argument : ops::arguments_of(schema_)) {
      const bool is_out = std::any_of(schema_.out.begin(), schema_.out.end(),
                                      [&](const ops::Argument& one) { return &one == argument; });
      is_out ? add_tensor(outputs_, name_in_python(argument->name)) : add_input(*argument);
    }
    for (std::size_t i = 0; schema_.out.empty() && i < schema_.returns.size(); ++i)
      add_tensor(outputs_, schema_.returns[i].name.empty() ? fmt::format("out{}", i)
                                                           : schema_.returns[i].name);
    Json definition = {{"name", "op_" + ops::usual_kernel_name(schema_.name)},
                       {"description", "TODO: what it is for; from " + ops::text(schema_)},
                       {"op_type", "op"},
                       {"tags", {"op:" + ops::full_name(schema_.name)}},
                       {"axes", axes_},
                       {"inputs", inputs_},
                       {"outputs", outputs_},
                       {"reference", reference()}};
    if (!constants_.empty()) definition["op_arguments"] = constants_;
    return definition;
  }

 private:
  // An input is a parameter of `run`.
  static std::string name_in_python(const std::string& name) {
    return ops::is_python_keyword(name) ? name + "_" : name;
  }

  void add_tensor(Json& to, const std::string& name) {
    Json shape = Json::array();
    for (const char* const dimension : {"_rows", "_columns"}) {
      axes_[name + dimension] = {{"type", "var"}};
      shape.push_back(name + dimension);
    }
    to[name] = {{"shape", shape}, {"dtype", "float32"}};
  }

  void add_input(const ops::Argument& argument) {
    const std::string name = name_in_python(argument.name);
    const std::size_t before = inputs_.size();
    add_input_called(name, argument);
    if (inputs_.size() == before + 1 && name != argument.name) constants_[argument.name] = name;
  }

  void add_input_called(const std::string& name, const ops::Argument& argument) {
    const ops::Type& type = argument.type;
    if (type.base == ops::BaseType::tensor && !type.has_list() && !type.is_optional())
      return add_tensor(inputs_, name);
    if (type.base == ops::BaseType::tensor && type.has_list()) return add_list(argument);
    if (argument.default_value || type.is_optional()) return;  // the schema says it
    const std::string_view dtype = scalar_dtype(type);
    if (!dtype.empty()) {
      inputs_[name] = {{"shape", nullptr}, {"dtype", dtype}};
    } else {
      constants_[argument.name] = type.has_list() ? Json::array() : Json("TODO");
    }
  }

  // Two tensors, for a beginning.
  void add_list(const ops::Argument& argument) {
    Json names = Json::array();
    for (int i = 0; i < 2; ++i) {
      names.push_back(fmt::format("{}_{}", argument.name, i));
      add_tensor(inputs_, names.back().get<std::string>());
    }
    constants_[argument.name] = names;
  }

  static std::string_view scalar_dtype(const ops::Type& type) {
    if (!type.modifiers.empty()) return "";
    switch (type.base) {
      case ops::BaseType::integer:
      case ops::BaseType::sym_int:
        return "int64";
      case ops::BaseType::floating:
      case ops::BaseType::scalar:
        return "float32";
      case ops::BaseType::boolean:
        return "bool";
      default:
        return "";
    }
  }

  std::string reference() const {
    std::vector<std::string> names;
    for (const auto& [name, spec] : inputs_.items()) names.push_back(name);
    return fmt::format(
        "import torch\n\ndef run({}):\n    raise NotImplementedError(\"what {} computes\")\n",
        join(names, ", "), ops::full_name(schema_.name));
  }

  const ops::Schema& schema_;
  Json axes_ = Json::object();
  Json inputs_ = Json::object();
  Json outputs_ = Json::object();
  Json constants_ = Json::object();
};

// Finds the schema in the libraries that are named; without any, in PyTorch, else in the current
// trace set.
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
    problems.error({options.op, 0, 0, "", ""}, "no schema of this operator is known",
                   hint.empty() ? "name the library that declares it" : hint);
    return exit_after(problems, exit_input);
  }
  if (!may_write(options.output, {"", options.force, files_of(libraries)}, problems))
    return exit_after(problems, exit_input);
  const std::string text = Draft(*schema).json().dump(2) + "\n";
  const bool is_written = write_output(options.output, text, problems);
  return exit_after(problems, is_written ? exit_good : exit_environment);
}

}  // namespace

std::function<int()> declare_kernels_define(CommandLine line) {
  auto options = std::make_shared<KernelsDefineOptions>();
  line.add_option("op", options->op, "The operator: add.out, or ns::name.overload")
      .required()
      .text("OP");
  declare_libraries(line, options->kernels);
  line.add_option("-o,--output", options->output, "Where the Definition goes; default: stdout")
      .text("FILE");
  line.add_flag("--force", options->force, "Write over a file that is there");
  return [options] { return define(*options); };
}

}  // namespace kbench
