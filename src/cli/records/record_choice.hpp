// Which records a command takes: the options that report, leaderboard and apply-table share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/records/evaluated.hpp"

namespace kbench {

class CommandLine;

struct RecordChoice {
  std::vector<std::string> definitions, solutions, workloads, op_types, tags;
  std::string since;  // the begin of an ISO 8601 time; "": all
  std::string trust;  // "audit": of audits alone; "": all
};

// Declares all but --trust.
void declare_record_choice(CommandLine line, RecordChoice& choice);
void declare_trust(CommandLine line, RecordChoice& choice);

// Returns those of the records that are chosen, in their order; `choice` has names in full then. A
// word that stands for nothing among them is reported, and then there are none.
std::vector<FoundRecord> chosen_records(const std::vector<FoundRecord>& records,
                                        RecordChoice& choice, Diagnostics& reports);

}  // namespace kbench
