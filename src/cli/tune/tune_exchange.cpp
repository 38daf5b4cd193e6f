#include "cli/tune/tune_exchange.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/shell/terminal.hpp"
#include "tune/imported_search.hpp"

namespace kbench {

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

}  // namespace kbench
