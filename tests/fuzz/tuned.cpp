// Entries of the store of tuned configurations and overlay files: any bytes give what was written,
// or reports.
#include "support.hpp"
#include "tune/overlay.hpp"
#include "tune/store.hpp"

using namespace kbench;

namespace {

void check_entry(const Source& source) {
  EntryFlaw flaw;
  const auto entry = read_entry(source, flaw);
  FUZZ_CHECK(entry.has_value() == flaw.text().empty());
  FUZZ_CHECK(flaw.text().find('\n') == std::string::npos);
  if (!entry) return;
  FUZZ_CHECK(flaw_of(*entry).empty());
  EntryFlaw again;
  const auto written = read_entry({"written", entry_text(*entry)}, again);
  FUZZ_CHECK(written && entry_text(*written) == entry_text(*entry));
}

void check_overlay(const Source& source) {
  Diagnostics problems;
  const auto overlay = read_overlay(source, problems);
  FUZZ_CHECK(overlay.has_value() == (problems.errors() == 0));
  if (overlay) {
    CallFacts axes;
    axes["M"] = 64;
    for (const OverlayRow& row : overlay->rows) {
      const OverlayRow* const found = find_row(*overlay, {row.definition, row.solution, "fwd", "",
                                                          row.objective.value_or("time"), axes});
      if (found != nullptr) FUZZ_CHECK(!place_of(*overlay, *found).empty());
    }
    entries_of(*overlay, problems);
  }
  fuzz::check_reports(problems, source);
}

}  // namespace

// The first byte chooses entry or overlay file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const bool is_entry = input.byte() % 2 == 0;
  const Source source{"fuzz.json", input.rest()};
  is_entry ? check_entry(source) : check_overlay(source);
  return 0;
}
