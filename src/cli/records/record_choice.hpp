// Which records a command takes: the options that report, leaderboard and apply-table share.
#pragma once

#include <functional>
#include <set>
#include <string>
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

// Tells the records that are chosen from others, as they come. Where the choice has words, all
// records are noted first: what a word stands for is among their names.
class RecordChooser {
 public:
  explicit RecordChooser(RecordChoice& choice) : choice_(choice) {}

  bool has_words() const;
  void note(const FoundRecord& found);
  // Puts the names in full in the place of words; false where one stands for nothing, which is
  // reported.
  bool complete(Diagnostics& reports);
  bool has(const FoundRecord& found) const;

 private:
  RecordChoice& choice_;
  std::set<std::string, std::less<>> definitions_, solutions_, op_types_, tags_, workloads_;
};

// Reads records one by one, and says of each whether it is chosen; twice where the choice has
// words. False where one of these stands for nothing, which is reported: then none is given.
bool for_each_chosen(const RecordPlaces& places, RecordChoice& choice, std::vector<Target>& targets,
                     Diagnostics& reports,
                     const std::function<void(const FoundRecord& found, bool is_chosen)>& take);

// Returns those of the records that are chosen, in their order; `choice` has names in full then. A
// word that stands for nothing among them is reported, and then there are none.
std::vector<FoundRecord> chosen_records(const std::vector<FoundRecord>& records,
                                        RecordChoice& choice, Diagnostics& reports);

}  // namespace kbench
