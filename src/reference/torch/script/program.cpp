#include "reference/torch/script/program.hpp"

#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/frontend/lexer.h>
#include <torch/csrc/jit/frontend/parser.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/frontend/sugared_value.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "reference/torch/script/meaning.hpp"
#include "reference/torch/text/reference_text.hpp"

namespace kbench {
namespace {

using at::ArrayRef;
using torch::jit::ErrorReport;
using torch::jit::GraphFunction;
using torch::jit::NamedValue;
using torch::jit::SourceRange;
using torch::jit::SugaredValue;
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

// Function as Python has it: compiled for each call, for the types of that call's arguments.
class PythonFunction : public SugaredValue {
 public:
  PythonFunction(Library& library, const FunctionText& text) : library_(library), text_(text) {}
  std::string kind() const override { return "function " + text_.name; }
  SugaredPtr call(const SourceRange& loc, GraphFunction& m, ArrayRef<NamedValue> args,
                  ArrayRef<NamedValue> kwargs, std::size_t binders) override;

 private:
  Library& library_;
  const FunctionText& text_;
};

at::IValue literal(const std::string& text) {
  if (text == "True" || text == "False") return text == "True";
  if (text == "None") return {};
  const bool is_floating = text.find_first_of(".eE") != text.npos;
  return is_floating ? at::IValue(std::strtod(text.c_str(), nullptr))
                     : at::IValue(std::int64_t{std::stoi(text)});
}

// Compiled reference: its text, and the functions of it that were called so far.
class Library : public ReferenceFunction {
 public:
  explicit Library(ReferenceText text) : text_(std::move(text)) {}

  SugaredPtr find(const std::string& name, GraphFunction& m, const SourceRange& loc) {
    asked_.insert(name);
    if (const FunctionText* function = text_.function(name))
      return std::make_shared<PythonFunction>(*this, *function);
    const auto constant = text_.constants.find(name);
    if (constant != text_.constants.end())
      return std::make_shared<torch::jit::SimpleValue>(
          m.graph()->insertConstant(literal(constant->second), loc));
    const auto module = text_.modules.find(name);
    return module == text_.modules.end() ? nullptr : module_value(module->second);
  }

  // Compiles `text` for arguments of these types; returns the same for the same types.
  torch::jit::Function* instance(const SourceRange& loc, const FunctionText& text,
                                 const std::vector<at::TypePtr>& types);
  void define_entry(const std::string& text, int line) { entry_ = define(text, line, {}); }

  c10::IValue call(const std::vector<c10::IValue>& arguments) override {
    at::Stack stack = arguments;
    entry_->run(stack);
    return std::move(stack.front());
  }

 private:
  torch::jit::Function* define(const std::string& text, int line,
                               std::map<std::string, at::TypePtr> types);

  ReferenceText text_;
  torch::jit::CompilationUnit unit_;
  std::map<std::string, torch::jit::Function*> instances_;
  std::set<std::string> in_work_, asked_;
  torch::jit::Function* entry_ = nullptr;
};

SugaredPtr OuterNames::resolveValue(const std::string& name, GraphFunction& m,
                                    const SourceRange& loc) {
  return library_.find(name, m, loc);
}

torch::jit::Function* Library::define(const std::string& text, int line,
                                      std::map<std::string, at::TypePtr> types) {
  const auto source =
      std::make_shared<torch::jit::Source>(text, reference_file, static_cast<std::size_t>(line));
  torch::jit::Parser parser(source);
  const torch::jit::Def def(parser.parseFunction(false));
  if (parser.lexer().cur().kind != torch::jit::TK_EOF)
    throw(ErrorReport(parser.lexer().cur().range) << "it is behind the function's end");
  const std::set<std::string> called = refuse_other_trees(def, text_);
  auto names = std::make_shared<OuterNames>(*this, std::move(types));
  torch::jit::Function* made =
      unit_.define(std::nullopt, {}, {}, {def}, {names}, nullptr, true).front();
  for (const std::string& name : called)  // LibTorch asks first whether it has one of that name
    if (asked_.count(name) == 0) throw(ErrorReport(def.range()) << name << " is LibTorch's own");
  refuse_other_types(*torch::jit::toGraphFunction(*made).graph()->block());
  return made;
}

torch::jit::Function* Library::instance(const SourceRange& loc, const FunctionText& text,
                                        const std::vector<at::TypePtr>& types) {
  std::string key = text.name;
  for (const at::TypePtr& type : types) key += "," + type->repr_str();
  if (const auto found = instances_.find(key); found != instances_.end()) return found->second;
  if (!in_work_.insert(key).second)
    throw(ErrorReport(loc) << "function '" << text.name << "' calls itself");
  std::string header = "def " + text.name + "(";
  std::map<std::string, at::TypePtr> named;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const std::string type = "__type_" + std::to_string(i);
    named[type] = types[i];
    header += (i > 0 ? ", " : "") + text.parameters[i] + ": " + type;
  }
  header += std::string(static_cast<std::size_t>(text.body_line - text.line), '\n');
  torch::jit::Function* made = define(header + "):" + text.body, text.line, std::move(named));
  in_work_.erase(key);
  return instances_[key] = made;
}

SugaredPtr PythonFunction::call(const SourceRange& loc, GraphFunction& m, ArrayRef<NamedValue> args,
                                ArrayRef<NamedValue> kwargs, std::size_t binders) {
  if (args.size() != text_.parameters.size() || !kwargs.empty())
    throw(ErrorReport(loc) << text_.name << "() takes " << text_.parameters.size()
                           << (text_.parameters.size() == 1 ? " argument" : " arguments")
                           << " by place, not " << args.size());
  std::vector<at::TypePtr> types;
  for (const NamedValue& arg : args)
    types.push_back(c10::unshapedType(arg.value(*m.graph())->type()));
  torch::jit::Function* callee = library_.instance(loc, text_, types);
  return torch::jit::FunctionValue(callee).call(loc, m, args, {}, binders);
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

// Returns def entry(a0: Tensor, a1: float): return run(a0, a1) with the arguments in the order of
// run()'s parameters where these have the inputs' names.
std::string entry_text(const FunctionText& function, const std::vector<ReferenceArgument>& inputs) {
  std::vector<std::string> order, sorted = function.parameters;
  for (std::size_t i = 0; i < inputs.size(); ++i) order.push_back("a" + std::to_string(i));
  std::string header, call;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    header += (i > 0 ? ", " : "") + order[i] + ": " + type_name(inputs[i]);
  const auto is_given = [&](const std::string& parameter) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [&](const ReferenceArgument& input) { return input.name == parameter; });
  };
  if (sorted.size() == inputs.size() && std::all_of(sorted.begin(), sorted.end(), is_given))
    for (std::size_t i = 0; i < inputs.size(); ++i)
      order[static_cast<std::size_t>(std::find(sorted.begin(), sorted.end(), inputs[i].name) -
                                     sorted.begin())] = "a" + std::to_string(i);
  for (std::size_t i = 0; i < order.size(); ++i) call += (i > 0 ? ", " : "") + order[i];
  return "def entry(" + header + "):\n  return " + function.name + "(" + call + ")\n";
}

}  // namespace

std::variant<std::unique_ptr<ReferenceFunction>, CompileError> compile_reference(
    std::string_view reference, const std::vector<ReferenceArgument>& inputs,
    std::string_view function) {
  auto read = read_reference(reference);
  if (const auto* error = std::get_if<UnsupportedText>(&read))
    return CompileError{error->construct, "", error->line};
  auto text = std::get<ReferenceText>(std::move(read));
  const FunctionText* called = text.function(function);
  if (called == nullptr)
    return CompileError{"a text without a function " + std::string(function), "", 0};
  const int line = called->line;
  const std::string entry = entry_text(*called, inputs);
  auto library = std::make_unique<Library>(std::move(text));
  try {
    library->define_entry(entry, line - 1);
  } catch (const std::exception& error) {
    CompileError out = compile_error(error.what());
    if (out.line == 0 || out.line > line + 1 + static_cast<int>(reference.size())) out.line = line;
    return out;
  }
  return library;
}

}  // namespace kbench
