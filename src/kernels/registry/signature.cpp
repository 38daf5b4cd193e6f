#include "kernels/registry/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "base/words.hpp"
#include "kernels/registry/cpp_functions.hpp"
#include "syntax/cpp_tokens.hpp"
#include "syntax/python.hpp"

namespace kbench {
namespace {

std::string scalar_type(DType dtype) {
  if (dtype == DType::boolean) return "bool";
  return info(dtype).significand > 0 ? "float" : "int";
}

void add_specs(const OrderedMap<TensorSpec>& specs, Signature& to) {
  for (const auto& [name, spec] : specs)
    to.parameters.push_back({name, spec.shape ? "Tensor" : scalar_type(spec.dtype), "", false});
}

// Returns the type of Python's that a host passes for it.
std::string passed_type(const std::string& type) {
  if (type == "TensorView" || type == "DLTensor*") return "Tensor";
  if (type == "int64_t" || type == "int32_t") return "int";
  return type == "double" ? "float" : type;
}

// Returns the type that an annotation means: 'Tensor' in quotes is read when it is needed, and
// Float[Tensor, "M N"] (jaxtyping) and Annotated[Tensor, …] say more of a Tensor.
std::string python_type(std::string_view annotation) {
  annotation = trim(annotation);
  for (const std::string_view quote : {"'", "\""}) {
    const bool is_quoted = annotation.size() > 1 && annotation.starts_with(quote) &&
                           annotation.ends_with(quote) &&
                           annotation.find(quote, 1) == annotation.size() - 1;
    if (is_quoted) return python_type(annotation.substr(1, annotation.size() - 2));
  }
  const std::string type = plain_type(annotation);
  const std::size_t bracket = type.find("[Tensor,");
  return bracket != type.npos && type.find('[') == bracket ? "Tensor" : type;
}

SignatureParameter python_parameter(const python::Parameter& parameter) {
  return {parameter.name, python_type(parameter.annotation), std::string(parameter.default_value),
          parameter.kind == python::Parameter::Kind::keyword_only};
}

std::optional<Signature> find_python_function(const std::string& source, const std::string& name) {
  const auto parsed = python::parse_module(source);
  const auto* module = std::get_if<python::Module>(&parsed);
  if (module == nullptr) return std::nullopt;
  for (const python::Function& function : module->functions) {
    if (function.name != name) continue;
    Signature signature;
    for (const python::Parameter& parameter : function.parameters)
      signature.parameters.push_back(python_parameter(parameter));
    const std::string_view header = std::string_view(source).substr(
        function.def_begin, function.body_begin - function.def_begin);
    const std::size_t arrow = header.rfind("->");
    if (arrow != header.npos)
      signature.returns = python_type(header.substr(arrow + 2, header.size() - arrow - 3));
    return signature;
  }
  return std::nullopt;
}

struct Export {
  std::string name;
  std::string function;
};

// Returns the functions that macros export of a source of C++.
std::vector<Export> exports_of(const std::string& source) {
  const std::vector<CppToken> tokens = cpp_tokens(source);
  std::vector<Export> exports;
  for (std::size_t i = 0; i + 5 < tokens.size(); ++i) {
    const bool is_export =
        is_one_of(tokens[i].text, {"KBENCH_EXPORT", "TVM_FFI_DLL_EXPORT_TYPED_FUNC"}) &&
        tokens[i + 1].is("(") && tokens[i + 3].is(",");
    const std::size_t close = is_export ? closing_bracket(tokens, i + 1) : tokens.size();
    if (close < tokens.size()) exports.push_back({tokens[i + 2].text, tokens[close - 1].text});
  }
  return exports;
}

std::optional<Signature> find_cpp_function(std::string_view text, std::string_view name) {
  for (CppFunction& one : read_cpp_source(text).functions) {
    if (one.name != name) continue;
    for (SignatureParameter& parameter : one.signature.parameters)
      parameter.type = plain_type(parameter.type);
    one.signature.returns.clear();  // no result is passed
    return std::move(one.signature);
  }
  return std::nullopt;
}

void strip_tuning(std::vector<SignatureParameter>& parameters,
                  const std::vector<std::string>& tuning) {
  std::erase_if(parameters, [&](const SignatureParameter& one) {
    return std::find(tuning.begin(), tuning.end(), one.name) != tuning.end();
  });
}

// Names are unknown where some parameters have none: the result is then "".
std::string names_missing(const std::vector<SignatureParameter>& from,
                          const std::vector<SignatureParameter>& in) {
  std::vector<std::string> names;
  if (std::any_of(in.begin(), in.end(), [](const auto& one) { return one.name.empty(); }))
    return "";
  for (const SignatureParameter& one : from) {
    const bool is_there = std::any_of(in.begin(), in.end(), [&](const SignatureParameter& other) {
      return other.name == one.name;
    });
    if (!is_there && !one.name.empty()) names.push_back(one.name);
  }
  return join(names, ", ");
}

std::string count_difference(const std::vector<SignatureParameter>& a,
                             const std::vector<SignatureParameter>& b) {
  std::string out = fmt::format("{}, not {}", counted(b.size(), "parameter"), a.size());
  const std::string missing = names_missing(a, b);
  const std::string more = names_missing(b, a);
  if (!missing.empty()) out += "; it lacks " + missing;
  if (!more.empty()) out += "; it has " + more + " besides";
  return out;
}

const char* kind_of(const SignatureParameter& parameter) {
  return parameter.is_keyword_only ? "KEYWORD_ONLY" : "POSITIONAL_OR_KEYWORD";
}

void compare(const SignatureParameter& a, const SignatureParameter& b, std::size_t position,
             std::vector<std::string>& out) {
  const auto note = [&](const char* what, const std::string& wanted, const std::string& found) {
    out.push_back(fmt::format("parameter {}: {} {}, not {}", position + 1, what, found, wanted));
  };
  if (!a.name.empty() && !b.name.empty() && a.name != b.name) note("name", a.name, b.name);
  if (a.default_value != b.default_value)
    note("default", a.default_value.empty() ? "none" : a.default_value,
         b.default_value.empty() ? "none" : b.default_value);
  if (a.is_keyword_only != b.is_keyword_only) note("kind", kind_of(a), kind_of(b));
  if (!a.type.empty() && !b.type.empty() && a.type != b.type) note("type", a.type, b.type);
}

}  // namespace

Signature signature_of(const Definition& definition, bool with_outputs,
                       const std::vector<Parameter>& parameters) {
  Signature signature{"definition " + definition.name, {}, ""};
  add_specs(definition.inputs, signature);
  constexpr const char* types[] = {"int", "float", "bool", ""};  // order of ParameterValue
  for (const Parameter& one : parameters)
    if (one.kind == ParameterKind::runtime)
      signature.parameters.push_back({one.name, types[one.values.front().index()], "", false});
  if (with_outputs) add_specs(definition.outputs, signature);
  return signature;
}

std::optional<Signature> signature_of(const Solution& solution, std::string& why) {
  const std::string file = entry_source(solution);
  const std::string entry = entry_symbol(solution);
  const auto source = std::find_if(solution.sources.begin(), solution.sources.end(),
                                   [&](const SourceFile& one) { return one.path == file; });
  if (source == solution.sources.end()) {
    why = fmt::format("the entry point's source {} is not there", file);
    return std::nullopt;
  }
  auto signature =
      is_python(solution)
          ? find_python_function(source->content, entry)
          : find_cpp_function(source->content, exported_function(source->content, entry));
  if (signature)
    for (SignatureParameter& one : signature->parameters) one.type = passed_type(one.type);
  if (!signature) why = fmt::format("{} defines no function for the entry {}", file, entry);
  return signature;
}

std::string exported_function(const std::string& source, const std::string& entry) {
  for (Export& one : exports_of(source))
    if (one.name == entry) return std::move(one.function);
  return entry;
}

bool is_python(const Solution& solution) {
  return solution.spec.language == Language::python || solution.spec.language == Language::triton;
}

std::vector<std::string> exported_functions(const Solution& solution) {
  std::vector<std::string> names;
  const std::string entry = entry_source(solution);
  for (const SourceFile& source : solution.sources) {
    if (!is_python(solution)) {
      for (Export& one : exports_of(source.content)) names.push_back(std::move(one.name));
    } else if (source.path == entry) {
      const auto parsed = python::parse_module(source.content);
      if (const auto* module = std::get_if<python::Module>(&parsed)) {
        for (const python::Function& function : module->functions)
          names.emplace_back(function.name);
      }
    }
  }
  return names;
}

Signature kernel_signature(const ops::Schema& schema) {
  Signature signature{"schema " + ops::full_name(schema.name), {}, ""};
  signature.returns = cpp_type(ops::cpp_result(schema));
  signature.parameters.push_back({"", cpp_type("KernelRuntimeContext&"), "", false});
  for (const ops::Argument* argument : ops::arguments_of(schema))
    signature.parameters.push_back(
        {argument->name, cpp_type(ops::cpp_parameter(*argument)), "", false});
  return signature;
}

namespace {

std::vector<std::string> sorted_names(const Signature& signature) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < signature.parameters.size(); ++i)  // 0 is the context
    names.push_back(signature.parameters[i].name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::vector<std::string> kernel_differences(const Signature& wanted, Signature function) {
  const bool has_its_names = sorted_names(function) == sorted_names(wanted);
  for (SignatureParameter& one : function.parameters) {
    if (!has_its_names) one.name.clear();
    one.default_value.clear();  // calls give all arguments
  }
  return differences(wanted, function);
}

std::string text(const Signature& signature) {
  std::vector<std::string> parts;
  bool is_keyword_only = false;
  for (const SignatureParameter& one : signature.parameters) {
    if (one.is_keyword_only && !std::exchange(is_keyword_only, true)) parts.push_back("*");
    std::string part = one.name.empty() ? one.type : one.name;
    if (!one.name.empty() && !one.type.empty()) part += ": " + one.type;
    if (part.empty()) part = "?";
    if (!one.default_value.empty()) part += " = " + one.default_value;
    parts.push_back(std::move(part));
  }
  const std::string returns = signature.returns.empty() ? "" : " -> " + signature.returns;
  return fmt::format("({}){}", join(parts, ", "), returns);
}

std::vector<std::string> differences(const Signature& reference, const Signature& other,
                                     const std::vector<std::string>& tuning) {
  std::vector<SignatureParameter> a = reference.parameters;
  std::vector<SignatureParameter> b = other.parameters;
  strip_tuning(a, tuning);
  strip_tuning(b, tuning);
  std::vector<std::string> out;
  if (a.size() != b.size()) {
    out.push_back(count_difference(a, b));
  } else {
    for (std::size_t i = 0; i < a.size(); ++i) compare(a[i], b[i], i, out);
  }
  if (!reference.returns.empty() && !other.returns.empty() && reference.returns != other.returns)
    out.push_back(fmt::format("returns {}, not {}", other.returns, reference.returns));
  return out;
}

}  // namespace kbench
