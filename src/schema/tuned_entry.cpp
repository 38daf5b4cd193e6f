// Rules for entries of the store and overlay files beyond the types of their fields.
#include "schema/tuned_entry.hpp"

#include <fmt/format.h>

#include "schema/check.hpp"

namespace kbench {
namespace {

void check_schema(const std::string& found, std::string_view wanted, Findings& out) {
  if (found != wanted)
    out.push_back({"/schema", fmt::format("expected \"{}\", found \"{}\"", wanted, found), ""});
}

}  // namespace

Findings check(const TunedEntry& entry) {
  Findings out;
  check_schema(entry.schema, tuned_schema, out);
  if (entry.decided != Decision::tied) return out;
  // Ties keep the choice made without a search: else two searches of one space could disagree.
  if (!entry.heuristic) {
    out.push_back({"/decided", "a tie is with a heuristic, and none is there", ""});
  } else if (!same_configuration(entry.configuration, entry.heuristic->configuration)) {
    out.push_back({"/configuration",
                   fmt::format("nothing was faster than the heuristic's {}, and this is {}",
                               configuration_text(entry.heuristic->configuration),
                               configuration_text(entry.configuration)),
                   ""});
  }
  return out;
}

Findings check(const OverlayFile& overlay) {
  Findings out;
  check_schema(overlay.schema, overlay_schema, out);
  return out;
}

}  // namespace kbench
