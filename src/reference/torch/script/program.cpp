#include "reference/torch/script/program.hpp"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "reference/torch/script/dtype_limits.hpp"
#include "reference/torch/script/graph_rules.hpp"
#include "reference/torch/script/message.hpp"
#include "reference/torch/script/module_value.hpp"
#include "reference/torch/script/prelude.hpp"
#include "reference/torch/text/observe.hpp"
#include "reference/torch/text/reference_text.hpp"

namespace kbench {
namespace {

using at::ArrayRef;
using torch::jit::ErrorReport;
using torch::jit::GraphFunction;
using torch::jit::NamedValue;
using torch::jit::SimpleValue;
using torch::jit::SourceRange;
using torch::jit::SugaredValue;
using torch::jit::Value;
using SugaredPtr = std::shared_ptr<SugaredValue>;

class Library;

// Names that a function's own text does not define.
class OuterNames : public torch::jit::Resolver {
 public:
  OuterNames(Library& library, std::map<std::string, at::TypePtr> types)
      : library_(library), types_(std::move(types)) {}
  SugaredPtr resolveValue(const std::string& name, GraphFunction& m,
                          const SourceRange& loc) override;
  at::TypePtr resolveType(const std::string& name, const SourceRange&) override {
    const auto found = types_.find(name);
    return found == types_.end() ? nullptr : found->second;
  }

 private:
  Library& library_;
  std::map<std::string, at::TypePtr> types_;
};

// A function as Python has it: for each call it is compiled for the types of that call's arguments.
class PythonFunction : public SugaredValue {
 public:
  PythonFunction(Library& library, const FunctionText& text) : library_(library), text_(text) {}
  std::string kind() const override { return "function " + text_.name; }
  SugaredPtr call(const SourceRange& loc, GraphFunction& m, ArrayRef<NamedValue> args,
                  ArrayRef<NamedValue> kwargs, std::size_t binders) override;

 private:
  Value* value_for(const SourceRange& loc, GraphFunction& m, const ParameterText& parameter,
                   const NamedValue* given);
  std::vector<const NamedValue*> bind(const SourceRange& loc, ArrayRef<NamedValue> args,
                                      ArrayRef<NamedValue> kwargs) const;

  Library& library_;
  const FunctionText& text_;
};

// A reference's functions and constants, and what is compiled of them so far.
class Library {
 public:
  Library(ReferenceText text, std::string file, Library* prelude)
      : text_(std::move(text)), file_(std::move(file)), prelude_(prelude) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  SugaredPtr find(const std::string& name, GraphFunction& m, const SourceRange& loc);
  SugaredPtr function(const std::string& name);
  std::string path_of(const std::string& name) const;
  // `text` compiled for arguments of these types; the same for the same types.
  torch::jit::Function* instance(const SourceRange& loc, const FunctionText& text,
                                 const std::vector<at::TypePtr>& types);
  // The value of an expression that stands at `line`, computed once.
  SugaredPtr constant(const std::string& key, const std::string& expression, int line,
                      GraphFunction& m, const SourceRange& loc);
  torch::jit::Function* define(const std::string& text, int line,
                               std::map<std::string, at::TypePtr> types);
  std::optional<CompileError> changed_constant() const;

 private:
  ReferenceText text_;
  std::string file_;
  Library* prelude_;  // nullptr in the prelude's own
  torch::jit::CompilationUnit unit_;
  std::map<std::string, torch::jit::Function*> instances_;
  std::set<std::string> in_work_;
  struct Constant {
    torch::jit::Function* function = nullptr;
    at::IValue value;  // one for all uses: a tensor at module level is one tensor
    int line = 0;
    std::string state;  // when it was made
  };
  std::map<std::string, Constant> constants_;
};

bool is_exception(const std::string& name) {
  const auto ends_with = [&](const std::string& end) {
    return name.size() >= end.size() && name.substr(name.size() - end.size()) == end;
  };
  return ends_with("Error") || ends_with("Exception");
}

SugaredPtr OuterNames::resolveValue(const std::string& name, GraphFunction& m,
                                    const SourceRange& loc) {
  return library_.find(name, m, loc);
}

SugaredPtr Library::function(const std::string& name) {
  // As in Python, of two functions with one name the last counts.
  for (auto it = text_.functions.rbegin(); it != text_.functions.rend(); ++it) {
    if (it->name == name) return std::make_shared<PythonFunction>(*this, *it);
  }
  return nullptr;
}

SugaredPtr Library::find(const std::string& name, GraphFunction& m, const SourceRange& loc) {
  if (SugaredPtr found = function(name)) return found;
  for (auto it = text_.constants.rbegin(); it != text_.constants.rend(); ++it) {
    if (it->name == name) return constant(name, it->expression, it->line, m, loc);
  }
  if (name == observe_name) return observe_value();
  const std::string path = path_of(name);
  if (path.empty()) return nullptr;
  Library* prelude = prelude_ == nullptr ? this : prelude_;
  return module_value(path, [prelude](const std::string& n) { return prelude->function(n); });
}

// What an imported name stands for, or one that is always there; "" for none.
std::string Library::path_of(const std::string& name) const {
  if (name == "__power") return "operator.pow";
  if (name == "__round") return "operator.round";
  if (name == "__view_as") return "operator.view_as";
  if (name == "__torch") return "torch";
  const auto module = text_.modules.find(name);
  if (module != text_.modules.end()) return module->second;
  return is_exception(name) ? "builtins." + name : "";
}

torch::jit::Function* Library::define(const std::string& text, int line,
                                      std::map<std::string, at::TypePtr> types) {
  auto source = std::make_shared<torch::jit::Source>(text, file_, static_cast<std::size_t>(line));
  torch::jit::Parser parser(source);
  const torch::jit::Def def(parser.parseFunction(false));
  auto names = std::make_shared<OuterNames>(*this, std::move(types));
  torch::jit::Function* made =
      unit_.define(std::nullopt, {}, {}, {def}, {names}, nullptr, true).front();
  const auto graph = torch::jit::toGraphFunction(*made).graph();
  refuse_other_values(*graph->block());
  keep_factors(*graph);
  return made;
}

torch::jit::Function* Library::instance(const SourceRange& loc, const FunctionText& text,
                                        const std::vector<at::TypePtr>& types) {
  std::string key = text.name + "@" + std::to_string(text.line);
  for (const at::TypePtr& type : types) key += "," + type->repr_str();
  if (const auto found = instances_.find(key); found != instances_.end()) return found->second;
  if (!in_work_.insert(key).second) {
    throw(ErrorReport(loc) << "function '" << text.name << "' calls itself");
  }
  std::string header = "def " + text.name + "(";
  std::map<std::string, at::TypePtr> named;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string type = "__type_" + std::to_string(i);
    named[type] = types[i];
    header += (i > 0 ? ", " : "") + text.parameters[i].name + ": " + type;
  }
  header += std::string(static_cast<std::size_t>(std::max(text.body_line - text.line, 0)), '\n');
  const int line = std::min(text.line, text.body_line);
  torch::jit::Function* made = define(header + "):" + text.body, line, std::move(named));
  in_work_.erase(key);
  return instances_[key] = made;
}

// What is another text once something was written to a value's tensors, lists or dicts; "" for a
// value that nothing can be written to.
std::string state_of(const at::IValue& value) {
  std::string state;
  value.visit([&](const at::IValue& part) {
    if (part.isTensor() && part.toTensor().defined()) {
      state += std::to_string(part.toTensor()._version()) + ",";  // one count for all its views
    }
    return false;
  });
  if (!state.empty() || !(value.isList() || value.isGenericDict())) return state;
  std::ostringstream text;
  text << value;
  return text.str();
}

std::optional<CompileError> Library::changed_constant() const {
  for (const auto& [name, constant] : constants_) {
    if (state_of(constant.value) == constant.state) continue;
    const std::size_t dot = name.rfind('.');  // function@line.parameter
    const std::string what = dot == std::string::npos
                                 ? name + ", which is at module level,"
                                 : name.substr(dot + 1) + ", which is a parameter's default,";
    return CompileError{"changing " + what, "", constant.line};
  }
  return std::nullopt;
}

SugaredPtr Library::constant(const std::string& key, const std::string& expression, int line,
                             GraphFunction& m, const SourceRange& loc) {
  auto found = constants_.find(key);
  if (found == constants_.end()) {
    if (!in_work_.insert(key).second) throw(ErrorReport(loc) << "undefined value " << key);
    auto* made = define("def constant():\n  return (" + expression + ")\n", line - 1, {});
    in_work_.erase(key);
    at::Stack none;
    const at::IValue value = (*made)(none);
    found = constants_.emplace(key, Constant{made, value, line, state_of(value)}).first;
  }
  if (const auto inserted = torch::jit::tryInsertConstant(*m.graph(), found->second.value, loc)) {
    const bool is_fixed = found->second.state.empty();
    return std::make_shared<SimpleValue>(is_fixed ? *inserted : keep_writes(*inserted, m, loc));
  }
  return torch::jit::FunctionValue(found->second.function).call(loc, m, {}, {}, 1);
}

// Which argument goes to which parameter, as Python binds them; nullptr where none was given.
std::vector<const NamedValue*> PythonFunction::bind(const SourceRange& loc,
                                                    ArrayRef<NamedValue> args,
                                                    ArrayRef<NamedValue> kwargs) const {
  const auto& parameters = text_.parameters;
  std::vector<const NamedValue*> bound(parameters.size(), nullptr);
  std::size_t next = 0;
  for (const NamedValue& arg : args) {
    if (next >= parameters.size() || parameters[next].keyword_only || parameters[next].rest) {
      throw(ErrorReport(loc) << text_.name << "() takes " << next
                             << (next == 1 ? " argument, not " : " arguments, not ")
                             << args.size());
    }
    bound[next++] = &arg;
  }
  for (const NamedValue& kwarg : kwargs) {
    std::size_t at = 0;
    while (at < parameters.size() && parameters[at].name != kwarg.name()) ++at;
    if (at == parameters.size() || bound[at] != nullptr) {
      throw(ErrorReport(loc) << text_.name << "() has no free parameter '" << kwarg.name() << "'");
    }
    bound[at] = &kwarg;
  }
  return bound;
}

Value* PythonFunction::value_for(const SourceRange& loc, GraphFunction& m,
                                 const ParameterText& parameter, const NamedValue* given) {
  if (given != nullptr) return given->value(*m.graph());
  if (parameter.default_value.empty()) {
    throw(ErrorReport(loc) << text_.name << "() needs an argument '" << parameter.name << "'");
  }
  const std::string key = text_.name + "@" + std::to_string(text_.line) + "." + parameter.name;
  return library_.constant(key, parameter.default_value, text_.line, m, loc)->asValue(loc, m);
}

SugaredPtr PythonFunction::call(const SourceRange& loc, GraphFunction& m, ArrayRef<NamedValue> args,
                                ArrayRef<NamedValue> kwargs, std::size_t binders) {
  const std::vector<const NamedValue*> bound = bind(loc, args, kwargs);
  std::vector<NamedValue> values;
  std::vector<at::TypePtr> types;
  FunctionText text = text_;
  text.parameters.clear();
  for (std::size_t i = 0; i < bound.size(); ++i) {
    if (text_.parameters[i].rest) continue;
    Value* value = value_for(loc, m, text_.parameters[i], bound[i]);
    text.parameters.push_back(text_.parameters[i]);
    values.emplace_back(loc, value);
    types.push_back(c10::unshapedType(value->type()));
  }
  torch::jit::Function* callee = library_.instance(loc, text, types);
  return torch::jit::FunctionValue(callee).call(loc, m, values, {}, binders);
}

// Read once, before the first fork.
const ReferenceText& prelude_functions() {
  static const ReferenceText text = std::get<ReferenceText>(read_reference(prelude_text()));
  return text;
}

const char* type_name(const ReferenceArgument& argument) {
  if (!argument.is_scalar) return "Tensor";
  switch (info(argument.dtype).kind) {
    case DTypeKind::floating:
      return "float";
    case DTypeKind::integer:
      return "int";
    case DTypeKind::boolean:
      return "bool";
  }
  return "Tensor";
}

// As in Python, of two functions with one name the last counts; nullptr where there is none.
const FunctionText* find_function(const ReferenceText& text, std::string_view name) {
  const FunctionText* found = nullptr;
  for (const FunctionText& function : text.functions) {
    if (function.name == name) found = &function;
  }
  return found;
}

// Its parameters have the inputs' names, in another order: they are given by name.
bool is_in_other_order(const FunctionText& function, const std::vector<ReferenceArgument>& inputs) {
  bool differs = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto named = [&](const ParameterText& p) { return p.name == inputs[i].name && !p.rest; };
    const auto& parameters = function.parameters;
    if (std::none_of(parameters.begin(), parameters.end(), named)) return false;
    const bool in_place =
        i < parameters.size() && named(parameters[i]) && !parameters[i].keyword_only;
    differs |= !in_place;
  }
  return differs;
}

// def entry(a0: Tensor, a1: float): return run(a0, a1)
std::string entry_text(const FunctionText& function, const std::vector<ReferenceArgument>& inputs) {
  const bool by_name = is_in_other_order(function, inputs);
  std::string header, call;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string comma = i > 0 ? ", " : "", name = "a" + std::to_string(i);
    header += comma + name + ": " + type_name(inputs[i]);
    call += comma + (by_name ? inputs[i].name + "=" : "") + name;
  }
  return "def entry(" + header + "):\n  return " + function.name + "(" + call + ")\n";
}

// A compiled reference.
class Program : public ReferenceFunction {
 public:
  explicit Program(ReferenceText text)
      : prelude_(prelude_functions(), "prelude", nullptr),
        library_(std::move(text), reference_file, &prelude_) {}

  void define_entry(const std::string& text, int line) { entry_ = library_.define(text, line, {}); }

  c10::IValue call(const std::vector<c10::IValue>& arguments) override {
    begin_call_on_limits_tape();
    at::Stack stack = arguments;
    entry_->run(stack);
    return std::move(stack.front());
  }

  std::optional<RaisedError> spoiled() const override {
    const auto changed = library_.changed_constant();
    if (!changed) return std::nullopt;
    return RaisedError(changed->message(), changed->line);
  }

 private:
  Library prelude_, library_;
  torch::jit::Function* entry_ = nullptr;
};

}  // namespace

std::variant<std::unique_ptr<ReferenceFunction>, CompileError> compile_reference(
    std::string_view reference, const std::vector<ReferenceArgument>& inputs,
    std::string_view function) {
  auto read = read_reference(reference);
  if (const auto* error = std::get_if<UnsupportedText>(&read)) {
    return CompileError{error->construct, "", error->line};
  }
  auto text = std::get<ReferenceText>(std::move(read));
  const FunctionText* called = find_function(text, function);
  if (called == nullptr)
    return CompileError{"a text without a function " + std::string(function), "", 0};
  const int line = called->line;
  const std::string entry = entry_text(*called, inputs);
  auto program = std::make_unique<Program>(std::move(text));
  try {
    program->define_entry(entry, line - 1);
  } catch (const std::exception& error) {
    CompileError out = compile_error(error.what());
    if (out.line == 0 || out.line > line + 1 + static_cast<int>(reference.size())) out.line = line;
    return out;
  }
  return program;
}

}  // namespace kbench
