// kbench tuned list: the entries of the store, in a line each or in whole, and whether it is whole.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "cli/tune/tuned.hpp"
#include "schema/names.hpp"
#include "tune/key.hpp"
#include "tune/store.hpp"

namespace kbench {
namespace {

struct TunedListOptions {
  WhichTuned which;
  bool long_form = false;
  bool check = false;
  bool paths = false;
  std::string format = "table";
};

// Speed-up over the heuristic's configuration; nothing where that is not known.
std::optional<double> gain_of(const TunedEntry& entry) {
  for (const TunedCandidate& one : entry.candidates) {
    if (!same_configuration(one.configuration, entry.configuration)) continue;
    if (one.ratio && *one.ratio > 0) return 1 / *one.ratio;
  }
  return std::nullopt;
}

std::string gain_text(double gain) { return fmt::format("{:.2f}×", gain); }

std::string machine_name(const TuningKey& key) {
  const std::string* const gpu = key.machine.find("gpu");
  const std::string* const name = gpu != nullptr ? gpu : key.machine.find("cpu");
  return name == nullptr ? "" : *name;
}

std::string direction_text(const TuningKey& key) {
  return key.context.empty() ? key.direction : key.direction + ", " + key.context;
}

std::vector<GridCell> row_of(const TunedEntry& entry) {
  const TuningKey& parts = entry.parts;
  const auto gain = gain_of(entry);
  return {{entry.key},
          {parts.definition},
          {parts.solution},
          text_cell(lengths_text(parts)),
          {direction_text(parts)},
          {parts.objective},
          {configuration_text(entry.configuration)},
          {std::string(name_of(entry.decided)) + (entry.cut_short ? ", cut short" : "")},
          gain ? GridCell{*gain, gain_text(*gain)} : GridCell{},
          {entry.date, entry.date.substr(0, 10)},
          text_cell(machine_name(parts))};
}

Grid grid_of(const std::vector<StoredEntry>& found) {
  Grid grid;
  grid.columns = {{"key"},
                  {"definition"},
                  {"solution"},
                  {"lengths"},
                  {"direction"},
                  {"objective"},
                  {"configuration"},
                  {"decided"},
                  {"gain"},
                  {"tuned"},
                  {"machine", "", Shown::never}};
  for (const StoredEntry& stored : found) grid.rows.push_back(row_of(stored.entry));
  return grid;
}

using Json = nlohmann::ordered_json;

// "cpu: example; threads: 2" of an object.
std::string plain_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object()) return value.is_null() ? "" : value.dump();
  std::vector<std::string> out;
  for (const auto& [name, one] : value.items())
    out.push_back(fmt::format("{}: {}", name, plain_text(one)));
  return join(out, "; ");
}

std::string line(std::string_view name, const std::string& text) {
  return text.empty() ? "" : fmt::format("  {:<18}{}\n", name, printable(text));
}

// A line for each member that text_of() does not say otherwise.
std::string lines_of(const Json& object) {
  std::string out;
  for (const auto& [name, value] : object.items()) {
    if (!is_one_of(name, {"schema", "key", "parts", "definition", "solution", "configuration",
                          "heuristic", "candidates"}))
      out += line(name, plain_text(value));
  }
  return out;
}

// Says, for an entry tuned on a processor, whether this machine would find it. Threads are left
// out, as a run chooses their number.
std::string where_from(const TuningKey& key) {
  if (!key.machine.contains("cpu")) return "";
  std::vector<std::string> other;
  for (const auto& [name, value] : machine_parts(cpu_fingerprint(), 1)) {
    const std::string* const stored = key.machine.find(name);
    if (name != "threads" && (stored == nullptr || *stored != value)) other.push_back(name);
  }
  return other.empty() ? "this machine" : "another machine: other " + join(other, ", ");
}

std::string candidates_text(const TunedEntry& entry) {
  Grid grid;
  grid.columns = {{"   "},
                  {"configuration"},
                  {"status"},
                  {"median", "", Shown::where_any},
                  {"p10", "", Shown::where_any},
                  {"samples", "", Shown::where_any},
                  {"ratio", "", Shown::where_any},
                  {"cause", "", Shown::where_any}};
  grid.none = "";
  for (const TunedCandidate& one : entry.candidates) {
    const bool is_chosen = same_configuration(one.configuration, entry.configuration);
    grid.rows.push_back(
        {text_cell(is_chosen ? "  *" : ""),
         {configuration_text(one.configuration)},
         {one.status},
         time_cell(one.median_ns.value_or(0) * 1e-6),
         time_cell(one.p10_ns.value_or(0) * 1e-6),
         one.samples ? GridCell{*one.samples} : GridCell{},
         one.ratio ? GridCell{*one.ratio, fmt::format("{:.3f}", *one.ratio)} : GridCell{},
         text_cell(one.cause.value_or(""))});
  }
  return grid.rows.empty() ? "" : write_table({.grids = {grid}}, {});
}

std::string text_of(const StoredEntry& stored) {
  const TunedEntry& entry = stored.entry;
  const Json whole = Json::parse(entry_text(entry));
  const auto gain = gain_of(entry);
  const std::string heuristic =
      entry.heuristic ? configuration_text(entry.heuristic->configuration) : "";
  return fmt::format("{}  {} for {}\n", entry.key, printable(entry.parts.solution),
                     printable(entry.parts.definition)) +
         line("configuration", configuration_text(entry.configuration)) +
         line("heuristic", heuristic) + lines_of(whole) +
         line("gain", gain ? gain_text(*gain) : "") + lines_of(whole["parts"]) +
         line("tuned on", where_from(entry.parts)) + line("file", stored.file.string()) +
         candidates_text(entry);
}

// Entries in whole, as text or as a list in their stored form.
std::string long_text(const std::vector<StoredEntry>& found, bool is_json) {
  std::string out;
  for (const StoredEntry& stored : found) {
    if (!out.empty()) out += is_json ? "," : "\n";
    out += is_json ? std::string(trim(entry_text(stored.entry))) : text_of(stored);
  }
  return is_json ? "[" + out + "]\n" : out;
}

std::string check_json(const StoreListing& listing) {
  Json out{{"path", tuned_root().string()},
           {"entries", listing.entries.size()},
           {"damaged", Json::array()},
           {"put_aside", Json::array()}};
  for (const auto& [file, why] : listing.damaged)
    out["damaged"].push_back({{"file", file.string()}, {"why", why}});
  for (const auto& file : listing.quarantined) out["put_aside"].push_back(file.string());
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string check_text(const StoreListing& listing) {
  std::string out;
  for (const auto& [file, why] : listing.damaged)
    out += fmt::format("{}: {}\n", printable(file.string()), printable(why));
  for (const auto& file : listing.quarantined)
    out += fmt::format("{}: was put aside before\n", printable(file.string()));
  const std::size_t whole = listing.entries.size();
  return out + fmt::format("{} {} whole, {} damaged\n", whole, whole == 1 ? "entry" : "entries",
                           listing.damaged.size());
}

int check(const StoreListing& listing, bool is_json) {
  print(is_json ? check_json(listing) : check_text(listing));
  if (!listing.damaged.empty())
    tell("  hint: kbench tuned rm --damaged removes what is no entry; a run would put it aside\n");
  return listing.damaged.empty() ? exit_good : exit_negative;
}

void print_found(const std::vector<StoredEntry>& found, const TunedListOptions& options) {
  const std::string format = options.format == "text" ? "table" : options.format;
  if (options.paths) {
    for (const StoredEntry& stored : found) print(stored.file.string() + "\n");
  } else if (options.long_form) {
    print(long_text(found, format == "json"));
  } else if (!found.empty() || format != "table") {
    print_document({.grids = {grid_of(found)}}, format);
  }
}

int list(const TunedListOptions& options) {
  Diagnostics problems;
  if ((options.long_form || options.check) && !is_one_of(options.format, {"table", "text", "json"}))
    problems.error({"--format " + options.format}, "is of the table alone",
                   "--long and --check have text and json");
  if (problems.errors() > 0) return exit_after(problems, exit_input);
  const StoreListing listing = list_store(tuned_root());
  if (options.check) return check(listing, options.format == "json");
  const std::vector<StoredEntry> found = find_tuned(listing, options.which, problems);
  if (problems.errors() == 0) print_found(found, options);
  if (found.empty() && problems.errors() == 0) tell("nothing was tuned\n");
  tell_of_damage(listing);  // entries that are meant may be the damaged ones
  const bool is_asked_for = options.long_form || options.paths;
  return exit_after(problems, found.empty() && is_asked_for ? exit_undecided : exit_good);
}

}  // namespace

std::function<int()> declare_tuned_list(CommandLine line) {
  auto options = std::make_shared<TunedListOptions>();
  declare_which(line, options->which);
  line.add_flag("-l,--long", options->long_form, "All that is known of each; with json as stored");
  line.add_flag("--check", options->check, "Say whether all files of the store are whole")
      .excludes("--long")
      .excludes("key")
      .excludes("--definition")
      .excludes("--solution");
  line.add_flag("--paths", options->paths, "Print the files; without a choice the store's folder")
      .excludes("--long")
      .excludes("--check");
  std::vector<std::string> formats = format_names(Needs::tables);
  formats.emplace_back("text");
  line.add_option("--format FORMAT", options->format, join(formats, ", ")).one_of(formats);
  return [options] {
    if (!options->paths || !options->which.says_nothing()) return list(*options);
    print(tuned_root().string() + "\n");
    return static_cast<int>(exit_good);
  };
}

}  // namespace kbench
