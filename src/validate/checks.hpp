// FlashInfer-Bench's checks of a trace set: their order, levels and words, so that the two reports
// can be compared line by line. Source: research notes on its validator; observed reports in the
// tests.
#pragma once

#include <filesystem>
#include <set>
#include <string_view>
#include <vector>

#include "schema/scan.hpp"
#include "validate/index.hpp"
#include "validate/report.hpp"

namespace kbench {

// What the checks of one definition look at.
struct CheckInput {
  const std::filesystem::path& root;
  const std::vector<ScannedFile>& files;
  const DefinitionEntry& entry;

  const ScannedFile& file(const Entry& of) const { return files[of.file]; }
  const Definition* definition() const;
  // The lines of a file; nullptr where one of them could not be read: then none counts.
  const std::vector<TraceLine>* lines(const Entry& of) const;
  std::set<std::string_view> workload_uuids() const;
};

CheckResult check_layout(const CheckInput& input);
CheckResult check_definition(const CheckInput& input);
CheckResult check_solutions(const CheckInput& input);
CheckResult check_traces(const CheckInput& input);
CheckResult check_baseline(const CheckInput& input);

// `good`, if given, gets the workloads with nothing wrong.
CheckResult check_workloads(const CheckInput& input, std::vector<const TraceLine*>* good);

// "parse error: …" of a file that could not be read.
std::string parse_error(const ScannedFile& file);

}  // namespace kbench
