#include "kernels/codegen/solution_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "kernels/codegen/condition_code.hpp"
#include "kernels/codegen/files.hpp"
#include "kernels/registry/signature.hpp"

namespace kbench {
namespace {

constexpr std::size_t most_in_full = 64;  // configurations of a space that is compiled whole

// Returns all configurations, in the order of declaration; none where there are too many.
std::vector<Configuration> full_space(const Tunables& tunables) {
  std::vector<Configuration> all{{}};
  for (const Parameter& parameter : tunables.parameters) {
    std::vector<Configuration> longer;
    for (const Configuration& one : all) {
      for (const ParameterValue& value : parameter.values) {
        longer.push_back(one);
        longer.back()[parameter.name] = value;
      }
    }
    all = std::move(longer);
    if (all.size() > most_in_full) return {};
  }
  return all;
}

std::string macro_text(const ParameterValue& value) {
  const auto* truth = std::get_if<bool>(&value);
  return truth != nullptr ? (*truth ? "1" : "0") : parameter_text(value);
}

}  // namespace

SolutionWriter::SolutionWriter(const ServedSolution& served, std::size_t number)
    : served_(served), number_(number) {
  for (Configuration& one : full_space(served.tunables)) add(std::move(one));
  has_all_ = !texts_.empty();
  for (const auto* stated : {&served.overlay, &served.store})
    for (const StatedConfiguration& one : *stated) add(one.values);
  for (const auto* rows : {&served.tunables.heuristic, &served.tunables.candidates})
    for (const ConfigurationRow& row : *rows) add(row.values);
}

// Names that become code must be names, whatever a stranger wrote.
std::string SolutionWriter::flaw() const {
  if (std::string problem = entry_problem(served_.solution); !problem.empty()) return problem;
  for (const SourceFile& source : served_.solution.sources)
    if (source.path.find_first_of("\"\\") != source.path.npos)
      return "has a source that no #include can name: " + source.path;
  return texts_.empty() ? fmt::format(
                              "has more than {} configurations, and neither a heuristic "
                              "nor candidates say which are to be compiled",
                              most_in_full)
                        : "";
}

std::string SolutionWriter::declarations() const {
  std::string out;
  for (std::size_t i = 0; i < builds_.size(); ++i)
    out += fmt::format("extern \"C\" int {}(void*, const kbench::Any*, int32_t, kbench::Any*);\n",
                       function(i));
  return out;
}

std::vector<GeneratedFile> SolutionWriter::files() const {
  std::vector<GeneratedFile> files;
  for (const SourceFile& source : served_.solution.sources)
    files.push_back({folder() + "/" + source.path, generated_banner() + source.content});
  for (std::size_t i = 0; i < builds_.size(); ++i) {
    for (const Unit& unit : units(i))
      files.push_back({unit.file, generated_banner() + unit_text(i, unit)});
  }
  return files;
}

std::string SolutionWriter::cmake() const {
  std::string out;
  const BuildSpec& spec = served_.solution.spec;
  std::string flags;
  for (const std::string& flag : spec.compile_flags.value_or(std::vector<std::string>{}))
    flags += " " + quoted_in_cmake(flag);
  for (std::size_t i = 0; i < builds_.size(); ++i) {
    for (const Unit& unit : units(i)) {
      const std::string file = "${CMAKE_CURRENT_LIST_DIR}/" + unit.file;
      out += fmt::format("target_sources(kbench_solutions PRIVATE {})\n", file);
      if (!flags.empty())
        out +=
            fmt::format("set_property(SOURCE {} APPEND PROPERTY COMPILE_OPTIONS{})\n", file, flags);
    }
  }
  for (const std::string& flag : spec.link_flags.value_or(std::vector<std::string>{}))
    out +=
        fmt::format("target_link_libraries(kbench_solutions PUBLIC {})\n", quoted_in_cmake(flag));
  return out;
}

std::string SolutionWriter::table() const {
  const Tunables& t = served_.tunables;
  const std::string runs = served_.cpu_feature.empty()
                               ? "nullptr"
                               : fmt::format("[] {{ return __builtin_cpu_supports({}) != 0; }}",
                                             quoted_in_cpp(served_.cpu_feature));
  std::vector<std::string> where;
  for (const Condition& condition : t.where) where.push_back(condition.text);
  std::string out = fmt::format("    {{{},\n     {},\n     {},\n     {},\n     {{\n",
                                quoted_in_cpp(served_.solution.name), runs,
                                code(served_.conditions), code(where));
  for (const Configuration& one : configurations_) out += "         " + entry(one) + ",\n";
  return out + fmt::format("     }},\n     {},\n     {},\n     {},\n     {}}},\n",
                           stated_rows(served_.overlay), stated_rows(served_.store),
                           rows(t.heuristic), fallback());
}

void SolutionWriter::add(Configuration configuration) {
  Configuration ordered;  // order of declaration, which is that of the call
  for (const Parameter& parameter : served_.tunables.parameters)
    ordered[parameter.name] = *configuration.find(parameter.name);
  std::string text = configuration_text(ordered);
  if (std::find(texts_.begin(), texts_.end(), text) != texts_.end()) return;
  texts_.push_back(std::move(text));
  const Configuration macros = of_kind(ordered, ParameterKind::define);
  if (std::find_if(builds_.begin(), builds_.end(), [&](const Configuration& one) {
        return configuration_text(one) == configuration_text(macros);
      }) == builds_.end())
    builds_.push_back(macros);
  configurations_.push_back(std::move(ordered));
}

Configuration SolutionWriter::of_kind(const Configuration& configuration,
                                      ParameterKind kind) const {
  Configuration out;
  for (const Parameter& parameter : served_.tunables.parameters)
    if (parameter.kind == kind) out[parameter.name] = *configuration.find(parameter.name);
  return out;
}

std::size_t SolutionWriter::build_of(const Configuration& configuration) const {
  const std::string text = configuration_text(of_kind(configuration, ParameterKind::define));
  std::size_t i = 0;
  while (configuration_text(builds_[i]) != text) ++i;
  return i;
}

std::string SolutionWriter::folder() const { return fmt::format("solution_{}", number_); }
std::vector<SolutionWriter::Unit> SolutionWriter::units(std::size_t build) const {
  std::vector<Unit> units;
  for (const SourceFile& source : served_.solution.sources) {
    const bool is_compiled = source.path.ends_with(".cpp") || source.path.ends_with(".cc") ||
                             source.path.ends_with(".cxx");
    const std::string other = units.empty() ? "" : fmt::format("_{}", units.size());
    if (is_compiled)
      units.push_back({fmt::format("solution_{}_{}{}.cpp", number_, build, other), source.path});
  }
  return units;
}

std::string SolutionWriter::function(std::size_t build) const {
  return fmt::format("kbench_s{}_{}_{}", number_, build, entry_symbol(served_.solution));
}

// Builds of the sources have a namespace of their own, behind the headers that they include.
std::string SolutionWriter::unit_text(std::size_t build, const Unit& unit) const {
  std::string out =
      fmt::format("// {}\n#include \"kbench_ffi.h\"\n",
                  comment_in_cpp(served_.solution.name + " " + configuration_text(builds_[build])));
  for (const std::string& header : headers())
    out += fmt::format("#if __has_include({0})\n#include {0}\n#endif\n", header);
  // Exports of macros, and calls between sources.
  for (const std::string& name : exported_functions(served_.solution))
    out += fmt::format("#define __tvm_ffi_{2} kbench_s{0}_{1}_{2}\n", number_, build, name);
  for (const auto& [name, value] : builds_[build])
    out += fmt::format("#define {} {}\n", name, macro_text(value));
  out += fmt::format("namespace kbench_s{}_{} {{\n", number_, build);
  out += fmt::format("#include \"{}/{}\"\n", folder(), unit.source);
  return out + "}\n";
}

// Returns the headers in <> that sources include, and those in "" that begin with kbench_.
std::set<std::string> SolutionWriter::headers() const {
  std::set<std::string> found;
  for (const SourceFile& source : served_.solution.sources) {
    for (const std::string_view line : split(source.content, '\n')) {
      const std::string_view text = trim(line);
      if (!text.starts_with("#")) continue;
      const std::string_view rest = trim(text.substr(1));
      if (!rest.starts_with("include")) continue;
      const std::string_view name = trim(rest.substr(7));
      if (name.starts_with("<")) found.emplace(name.substr(0, name.find('>') + 1));
      if (name.starts_with("\"kbench_")) found.emplace(name.substr(0, name.find('"', 1) + 1));
    }
  }
  return found;
}

std::string SolutionWriter::name_code(std::string_view name) const {
  std::size_t place = 0;
  for (const auto& [axis, value] : served_.definition->axes) {
    if (axis == name) return fmt::format("f[{}]", place);
    ++place;
  }
  for (const auto& [input, spec] : served_.definition->inputs) {
    if (spec.shape) continue;
    if (input == name) return fmt::format("f[{}]", place);
    ++place;
  }
  for (std::size_t i = 0; i < served_.tunables.parameters.size(); ++i)
    if (served_.tunables.parameters[i].name == name) return fmt::format("p[{}]", i);
  const CallFacts facts =
      with_facts(dtype_facts(*served_.definition), served_.tunables.implementation);
  const Number* const fact = facts.find(name);  // a word
  return fact == nullptr ? "" : fmt::format("number({})", fact->value);
}

std::string SolutionWriter::code(const std::vector<std::string>& conditions) const {
  return conditions_code(conditions, [this](std::string_view name) { return name_code(name); });
}

std::string SolutionWriter::entry(const Configuration& configuration) const {
  std::vector<std::string> values, passed;
  for (const Parameter& parameter : served_.tunables.parameters) {
    const ParameterValue& value = *configuration.find(parameter.name);
    const auto* whole = std::get_if<std::int64_t>(&value);
    const auto* truth = std::get_if<bool>(&value);
    values.push_back(whole != nullptr   ? fmt::format("number({})", *whole)
                     : truth != nullptr ? fmt::format("number({})", *truth ? 1 : 0)
                                        : "none()");
    if (parameter.kind == ParameterKind::runtime)
      passed.push_back(fmt::format("passed({})", parameter_text(value)));
  }
  return fmt::format("{{{}, {}, {}, {}}}", quoted_in_cpp(configuration_text(configuration)),
                     function(build_of(configuration)), list_code(values), list_code(passed));
}

std::size_t SolutionWriter::index_of(const Configuration& configuration) const {
  Configuration ordered;
  for (const Parameter& parameter : served_.tunables.parameters)
    ordered[parameter.name] = *configuration.find(parameter.name);
  const auto found = std::find(texts_.begin(), texts_.end(), configuration_text(ordered));
  return static_cast<std::size_t>(found - texts_.begin());
}

std::string SolutionWriter::row(const std::vector<std::string>& conditions,
                                const Configuration& values) const {
  return fmt::format("{{{}, {}}}", code(conditions), index_of(values));
}

std::string SolutionWriter::stated_rows(const std::vector<StatedConfiguration>& stated) const {
  std::vector<std::string> out;
  for (const StatedConfiguration& one : stated) out.push_back(row(one.conditions, one.values));
  return list_code(out);
}

std::string SolutionWriter::rows(const std::vector<ConfigurationRow>& all) const {
  std::vector<std::string> out;
  for (const ConfigurationRow& one : all)
    out.push_back(row(one.condition ? std::vector{one.condition->text} : std::vector<std::string>{},
                      one.values));
  return list_code(out);
}

std::string SolutionWriter::fallback() const {
  if (!served_.tunables.candidates.empty()) return rows(served_.tunables.candidates);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < configurations_.size() && has_all_; ++i)
    out.push_back(fmt::format("{{nullptr, {}}}", i));
  return list_code(out);
}

}  // namespace kbench
