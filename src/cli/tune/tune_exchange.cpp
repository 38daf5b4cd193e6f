#include "cli/tune/tune_exchange.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "evaluate/environment.hpp"
#include "machine/identity.hpp"
#include "tune/imported_search.hpp"
#include "tune/t4_report.hpp"

namespace kbench {
namespace {

T4Metadata metadata() {
  utsname host{};
  ::uname(&host);
  return {host.sysname,
          {fmt::format("{}, {}", cpu_fingerprint().name, counted(core_count(), "core"))},
          {fmt::format("kbench=={}", kbench_version())}};
}

}  // namespace

std::optional<std::vector<std::uint32_t>> imported_first(const std::string& file,
                                                         const TuneSubject& subject,
                                                         const CallFacts& facts,
                                                         Diagnostics& reports) {
  const auto imported = import_search({file, read_file(file)}, subject.tunables, reports);
  if (!imported) return std::nullopt;
  const auto others = heuristic_configuration(subject.tunables, facts);
  ImportedFirst first = first_of(*imported, others.value_or(Configuration{}), subject.space);
  const std::size_t number = first.numbers.size();
  std::string text =
      fmt::format("{}: {} of {} {} first", subject.solution.name, counted(number, "configuration"),
                  file, number == 1 ? "comes" : "come");
  if (first.missing > 0) text += fmt::format(", {} not in the space", first.missing);
  if (imported->failed > 0) text += fmt::format(", {} failed there", imported->failed);
  tell(text + "\n");
  return std::move(first.numbers);
}

void declare_tune_export(CommandLine line, TuneExport& files) {
  line.add_option("--t4", files.results, "Write what was tried as T4 results, of one search")
      .text("FILE");
  line.add_option("--t4-metadata", files.metadata, "Write T4's metadata of this machine")
      .text("FILE");
}

bool write_export(const TuneExport& files, const std::vector<TuneText>& texts) {
  if (!files.metadata.empty()) write_file(files.metadata, t4_metadata(metadata()));
  if (files.results.empty()) return true;
  std::vector<const TuneText*> searches;
  for (const TuneText& text : texts) {
    if (!text.known) searches.push_back(&text);
  }
  if (searches.size() == 1) {
    write_file(files.results, t4_results(t4_results_of(searches.front()->report)));
    return true;
  }
  tell(searches.empty()
           ? "error: --t4: nothing was searched\n  hint: --force tunes again what was tuned\n"
           : fmt::format("error: --t4 is of one search, and there were {}\n  hint: choose with "
                         "--solution and --workload\n",
                         searches.size()));
  return false;
}

}  // namespace kbench
