// kbench new: a workload for a definition, with valid index inputs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/names.hpp"
#include "cli/new_workload.hpp"
#include "cli/terminal.hpp"
#include "cli/values.hpp"
#include "schema/read.hpp"
#include "schema/trace_set.hpp"
#include "schema/write.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string what;
  std::string definition;
  std::vector<std::string> axes;
  std::string root;
  std::string out;
  std::uint64_t seed = 0;
  bool no_try = false;
};

int complain(const std::string& message, const std::string& hint = "") {
  fmt::print(stderr, "kbench new: error: {}\n", message);
  if (!hint.empty()) fmt::print(stderr, "  hint: {}\n", hint);
  return exit_input;
}

bool complain(const Diagnostics& problems) {
  for (const Diagnostic& problem : problems.items())
    fmt::print(stderr, "{}", render(problem, terminal().colour_err));
  return problems.errors() > 0;
}

// The definition's file: a path, or a name in the trace set.
FoundFiles find_definition(const Options& options) {
  std::error_code error;
  if (fs::is_regular_file(options.definition, error)) return {{options.definition}, "", ""};
  if (is_path(options.definition))
    return {{}, fmt::format("{}: no such file", options.definition), ""};
  return find_records(options.definition, options.root);
}

std::optional<Definition> read_definition(const fs::path& path, Diagnostics& problems) {
  const Source source{path.string(), read_file(path)};
  return read_text<Definition>(source, {}, problems);
}

// "M=8": "" when it could be taken.
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
    for (const auto& [other, value] : definition.axes) {
      if (!const_value(value)) known.push_back(other);
    }
    const std::string guess = did_you_mean(name, known);
    hint = !guess.empty() ? guess : "var axes are " + join(known, ", ");
    return fmt::format("{} has no axis \"{}\"", definition.name, name);
  }
  if (const auto constant = const_value(*axis)) {
    hint = "--axes gives the lengths of var axes alone";
    return fmt::format("axis \"{}\" is const {}", name, *constant);
  }
  std::int64_t length = 0;
  const char* end = word.data() + word.size();
  const auto [stop, failure] = std::from_chars(word.data() + equals + 1, end, length);
  if (failure != std::errc() || stop != end || length < 1)
    return fmt::format("axis \"{}\": \"{}\" is no whole number above 0", name,
                       word.substr(equals + 1));
  if (axes.contains(name)) return fmt::format("axis \"{}\" is given twice", name);
  axes[name] = length;
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

// What was chosen and by which sign, on stderr.
void tell_choices(const NewWorkload& made, const OrderedMap<std::int64_t>& given) {
  std::string chosen;
  for (const auto& [name, length] : made.trace.workload.axes) {
    if (!given.contains(name))
      chosen += fmt::format("{}{}={}", chosen.empty() ? "" : " ", name, length);
  }
  if (!chosen.empty()) tell(fmt::format("axes chosen: {}\n", chosen));
  for (const auto& [name, sign] : made.signs) tell(fmt::format("{}: {}\n", name, sign));
}

void try_it(const Tried& tried) {
  if (!tried.note.empty()) tell(fmt::format("not tried on the reference: {}\n", tried.note));
  complain(tried.problems);
  if (tried.note.empty() && tried.problems.empty()) tell("tried: the reference takes it\n");
}

void write(const NewWorkload& made, const fs::path& root, const fs::path& file) {
  const auto known = read_file_if_there(file);
  if (known && known->find('"' + made.trace.workload.uuid + '"') != std::string::npos) {
    tell(fmt::format("{} has this workload already\n", file.lexically_normal().string()));
  } else {
    write_blob(made, root);
    append_trace(file, made.trace);
    tell(fmt::format("added to {}\n", file.lexically_normal().string()));
  }
}

fs::path out_file(const Options& options, const fs::path& root, const Definition& definition) {
  return options.out.empty() ? workload_file(root, definition) : fs::path(options.out);
}

int new_workload(const Options& options) {
  const FoundFiles found = find_definition(options);
  if (found.files.empty()) return complain(found.message, found.hint);
  Diagnostics problems;
  const auto definition = read_definition(found.files.front(), problems);
  if (complain(problems) || !definition) return exit_input;
  OrderedMap<std::int64_t> axes;
  if (!take_axes(*definition, options.axes, axes)) return exit_input;
  const bool only_print = options.out == "-";
  const auto root = find_root(options.root);
  if (!root && !only_print)
    return complain("no trace set to add the workload to",
                    "run in a trace set, say --root DIR, or --out - to print it alone");
  const Place place(found.files.front());
  const auto made = make_workload(*definition, axes, {options.seed, place, !only_print}, problems);
  if (complain(problems) || !made) return exit_input;
  tell_choices(*made, axes);
  if (!only_print) write(*made, *root, out_file(options, *root, *definition));
  print(to_json(made->trace, Dump::full) + "\n");
  if (!options.no_try && !terminal().quiet)
    try_it(try_reference(*definition, place, made->trace, root.value_or(fs::path()), options.seed));
  return exit_good;
}

}  // namespace

std::function<int()> declare_new(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("what", options->what, "What to make: workload")
      ->required()
      ->check(CLI::IsMember({"workload"}))
      ->option_text("KIND");
  app.add_option("definition", options->definition, "Name or file of the definition")
      ->required()
      ->option_text("DEF");
  app.add_option("--axes", options->axes, "Lengths of var axes; the others are chosen")
      ->option_text("NAME=N,...");
  app.add_option("--root", options->root, "Trace set that the workload is added to")
      ->option_text("DIR");
  app.add_option("--seed", options->seed, "Seed of the index inputs; default 0")
      ->check(unsigned_integer())
      ->option_text("N");
  app.add_flag("--no-try", options->no_try, "Do not run the reference on the workload");
  app.add_option("--out", options->out,
                 "File that gets the line, or - to print it and write nothing")
      ->option_text("FILE");
  return [options] { return new_workload(*options); };
}

}  // namespace kbench
