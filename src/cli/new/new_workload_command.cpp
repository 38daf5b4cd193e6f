// kbench new workload: one for a definition, with valid index inputs.
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/new/making.hpp"
#include "cli/new/new_workload.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "schema/targets.hpp"
#include "schema/to_json.hpp"
#include "schema/trace_set.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Takes a word such as "M=8": "" when it could.
std::string take_axis(const Definition& definition, const std::string& word,
                      OrderedMap<std::int64_t>& axes, std::string& hint) {
  const auto equals = word.find('=');
  const std::string name(trim(word.substr(0, equals)));
  hint = "an axis and its length: --axes M=8,batch_size=4";
  if (word.empty()) return "--axes: a comma with nothing before or after it";
  if (equals == std::string::npos) return fmt::format("--axes: \"{}\" has no length", word);
  const Axis* axis = definition.axes.find(name);
  if (axis == nullptr) {
    std::vector<std::string> known;
    for (const auto& [other, value] : definition.axes)
      if (!const_value(value)) known.push_back(other);
    const std::string guess = did_you_mean(name, known);
    hint = !guess.empty() ? guess : "var axes are " + join(known, ", ");
    return fmt::format("{} has no axis \"{}\"", definition.name, name);
  }
  if (const auto constant = const_value(*axis)) {
    hint = "--axes gives the lengths of var axes alone";
    return fmt::format("axis \"{}\" is const {}", name, *constant);
  }
  const auto length = parse_integer(word.substr(equals + 1));
  if (!length || *length < 1)
    return fmt::format("axis \"{}\": \"{}\" is no whole number above 0", name,
                       word.substr(equals + 1));
  if (axes.contains(name)) return fmt::format("axis \"{}\" is given twice", name);
  axes[name] = *length;
  return "";
}

bool take_axes(const Definition& definition, const std::vector<std::string>& words,
               OrderedMap<std::int64_t>& axes) {
  bool good = true;
  for (const std::string& list : words) {
    for (const std::string_view word : split(list, ',')) {
      std::string hint;
      const std::string message = take_axis(definition, std::string(trim(word)), axes, hint);
      if (!message.empty()) good = complain(message, hint) == exit_good;
    }
  }
  return good;
}

// Prints the choices and their signs on stderr.
void tell_choices(const NewWorkload& made, const OrderedMap<std::int64_t>& given) {
  std::string chosen;
  for (const auto& [name, length] : made.trace.workload.axes) {
    if (!given.contains(name))
      chosen += fmt::format("{}{}={}", chosen.empty() ? "" : " ", name, length);
  }
  if (!chosen.empty()) tell(fmt::format("axes chosen: {}\n", chosen));
  for (const auto& [name, sign] : made.signs) tell(fmt::format("{}: {}\n", name, sign));
}

fs::path out_file(const NewOptions& options, const fs::path& root, const Definition& definition) {
  return options.out.empty() ? workload_file(root, definition) : fs::path(options.out);
}

}  // namespace

int new_workload(const NewOptions& options) {
  const auto found = definition_for(options);
  if (!found) return exit_input;
  const Definition& definition = found->definition;
  OrderedMap<std::int64_t> axes;
  if (!take_axes(definition, options.axes, axes)) return exit_input;
  const bool only_print = options.out == "-";
  const auto root = find_root(options.root);
  if (!root && !only_print)
    return complain("no trace set to add the workload to",
                    "run in a trace set, say --root DIR, or --out - to print it alone");
  const Place place(found->path);
  Diagnostics problems;
  const auto made = make_workload(definition, axes, {options.seed, place, !only_print}, problems);
  if (complain(problems) || !made) return exit_input;
  tell_choices(*made, axes);
  if (!only_print) add_workload(*made, *root, out_file(options, *root, definition));
  print(to_json(made->trace, Dump::full) + "\n");
  if (!options.no_try && !terminal().quiet)
    tell_tried(
        try_reference(definition, place, made->trace, root.value_or(fs::path()), options.seed));
  return exit_good;
}

}  // namespace kbench
