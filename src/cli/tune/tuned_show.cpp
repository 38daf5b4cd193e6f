// kbench tuned show: all that is known of entries of the store.
#include <fmt/format.h>

#include <memory>

#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/report_printer.hpp"
#include "cli/shell/terminal.hpp"
#include "cli/tune/tuned.hpp"
#include "contract/kernel_set.hpp"
#include "report/columns.hpp"
#include "schema/lengths.hpp"
#include "tune/entry.hpp"
#include "tune/key.hpp"
#include "tune/store.hpp"

namespace kbench {
namespace {

struct TunedShowOptions {
  WhichTuned which;
  std::string format = "text";
};

std::string line(std::string_view name, const std::string& text) {
  return text.empty() ? "" : fmt::format("  {:<14}{}\n", name, printable(text));
}

std::string pairs_text(const OrderedMap<std::string>& map) {
  std::vector<std::string> out;
  for (const auto& [name, value] : map) out.push_back(fmt::format("{}: {}", name, value));
  return join(out, "; ");
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
  return other.empty() ? "that of this machine" : "of another machine: other " + join(other, ", ");
}

std::string time_text(const std::optional<double>& nanoseconds) {
  return nanoseconds ? human_time(*nanoseconds) : "";
}

std::string candidates_text(const TunedEntry& entry) {
  std::vector<std::vector<Cell>> rows;
  for (const TunedCandidate& one : entry.candidates) {
    const bool is_chosen = same_configuration(one.configuration, entry.configuration);
    rows.push_back({{is_chosen ? "  *" : ""},
                    {configuration_text(one.configuration)},
                    {one.status},
                    {time_text(one.median_ns)},
                    {time_text(one.p10_ns)},
                    {one.samples ? std::to_string(*one.samples) : ""},
                    {one.ratio ? fmt::format("{:.3f}", *one.ratio) : ""},
                    {printable(one.cause.value_or(""))}});
  }
  if (rows.empty()) return "";
  return align({{"   "},
                {"configuration"},
                {"status"},
                {"median", true, true},
                {"p10", true, true},
                {"samples", true, true},
                {"ratio", true, true},
                {"cause", false, true}},
               rows);
}

std::string key_lines(const TuningKey& key) {
  std::string out = line("version", key.version) + line("method", key.method) +
                    line("context", key.context) + line("direction", key.direction) +
                    line("objective", key.objective);
  if (key.shard) out += line("shard", fmt::format("{} in {}", key.shard->axis, key.shard->count));
  out += line("lengths", lengths_text(key)) + line("dtypes", pairs_text(key.dtypes)) +
         line("scalars", pairs_text(key.scalars)) + line("strides", key.strides);
  if (key.declared) out += line("declared", pairs_text(*key.declared));
  return out + line("machine", pairs_text(key.machine)) + line("", where_from(key)) +
         line("compiled", pairs_text(key.compiled)) +
         line("digests",
              fmt::format("definition {}, solution {}", key.definition_digest.substr(0, 16),
                          key.solution_digest.substr(0, 16)));
}

std::string decision_text(const TunedEntry& entry) {
  const std::string heuristic =
      entry.heuristic ? configuration_text(entry.heuristic->configuration) : "";
  if (is_provisional(entry))
    return "only: the search was cut short, and kbench tune searches again";
  if (entry.decided == Decision::only) return "only: there was nothing to compare";
  if (entry.decided == Decision::tied)
    return "tied: nothing was faster than the heuristic's, which stays";
  const auto gain = gain_of(entry);
  return fmt::format("beaten: {}faster than the heuristic's {}", gain ? gain_text(*gain) + " " : "",
                     heuristic);
}

// "exhaustive, seed 7, 3 configurations", and of one that was cut short "3 of 8".
std::string search_text(const TunedEntry& entry) {
  const std::string number =
      entry.cut_short && entry.space
          ? fmt::format("cut short after {} of {}", entry.candidates.size(),
                        counted(static_cast<std::size_t>(*entry.space), "configuration"))
          : counted(entry.candidates.size(), "configuration");
  return fmt::format("{}, seed {}, {}", entry.strategy, entry.seed, number);
}

std::string text_of(const StoredEntry& stored) {
  const TunedEntry& entry = stored.entry;
  return fmt::format("{}  {} for {}\n", entry.key, printable(entry.parts.solution),
                     printable(entry.parts.definition)) +
         line("configuration", configuration_text(entry.configuration)) +
         line("decided", decision_text(entry)) +
         line("tuned", fmt::format("{} by kbench {}", entry.date, entry.kbench)) +
         line("search", search_text(entry)) + line("at", lengths_text(entry.measured_at)) +
         line("workload", entry.workload) + line("state", pairs_text(entry.state)) +
         key_lines(entry.parts) + line("file", stored.file.string()) + candidates_text(entry);
}

int show_tuned(const TunedShowOptions& options) {
  Diagnostics problems;
  const StoreListing listing = list_store(tuned_root());
  const std::vector<StoredEntry> found = find_tuned(listing, options.which, problems);
  if (problems.errors() > 0) {  // what is meant may be what is damaged
    tell_of_damage(listing);
    return exit_after(problems, exit_input);
  }
  std::string out;
  const bool is_json = options.format == "json";
  for (const StoredEntry& stored : found) {
    if (!out.empty()) out += is_json ? "," : "\n";
    out += is_json ? std::string(trim(entry_text(stored.entry))) : text_of(stored);
  }
  print(is_json ? "[" + out + "]\n" : out);
  if (found.empty()) tell("nothing was tuned\n");
  tell_of_damage(listing);
  return exit_after(problems, found.empty() ? exit_undecided : exit_good);
}

}  // namespace

std::function<int()> declare_tuned_show(CommandLine line) {
  auto options = std::make_shared<TunedShowOptions>();
  declare_which(line, options->which);
  line.add_option("--format", options->format,
                  "text, or json: a list of entries as they are stored")
      .one_of({"text", "json"})
      .text("FORMAT");
  return [options] { return show_tuned(*options); };
}

}  // namespace kbench
