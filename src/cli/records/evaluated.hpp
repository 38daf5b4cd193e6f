// Records of evaluations, from files and trace sets, as several commands read them.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "report/results.hpp"
#include "schema/targets.hpp"

namespace kbench {

class CommandLine;

// An evaluated trace, and the trace set it belongs to.
struct FoundRecord {
  const TraceSet* set = nullptr;
  Stored<Trace>* stored = nullptr;
};

// Further records or details to take.
struct AlsoFound {
  bool without_set = false;     // files outside of any trace set
  bool emulated = false;        // records of --emulate, which nothing ranks or compares
  bool samples = true;          // those of times: most of a record
  bool marks_outdated = false;  // those of another definition, workload or solution than the set's
};

// Sources of records: trace sets, folders with traces/ and .jsonl files; `root` or the trace set
// here without paths.
struct RecordPlaces {
  const std::vector<std::string>& paths;
  const std::string& root;
  AlsoFound also = {};
};

// Reads the evaluated traces, and `targets` holds them then.
std::vector<FoundRecord> find_evaluated(const RecordPlaces& places, std::vector<Target>& targets,
                                        Diagnostics& diagnostics);

// Gives each to `take`, in the same order, which may move it away, and keeps none, so that any
// number fits. `targets` holds the trace sets.
void for_each_evaluated(const RecordPlaces& places, std::vector<Target>& targets,
                        Diagnostics& diagnostics,
                        const std::function<void(const FoundRecord& found)>& take);

// Names of records that `words` stand for: exactly, else by unique prefix; patterns with * and ?
// stand for all that they fit. A word that stands for none of them is reported. `noun` is what
// messages call them ("solution").
std::vector<std::string> names_meant(const std::vector<std::string>& words,
                                     std::vector<std::string> names, std::string_view noun,
                                     Diagnostics& diagnostics);

// Warns of the records that were left out since nobody may believe them.
void warn_of_doubts(const LeftOut& left_out, Diagnostics& diagnostics);

// The positional argument PATH of commands that read them.
void declare_evaluated(CommandLine line, std::vector<std::string>& paths);

// "traces/x.jsonl:3: rmsnorm_h128 batch_size=1 my_kernel"
std::string record_name(const Stored<Trace>& stored);

// Choice of records: the options that report, leaderboard and apply-table share.
class CommandLine;

struct RecordChoice {
  std::vector<std::string> definitions, solutions, workloads, op_types, tags;
  std::string since;  // beginning of an ISO 8601 time; "": all
  std::string trust;  // "audit": audits alone; "": all
};

// Declares all but --trust.
void declare_record_choice(CommandLine line, RecordChoice& choice);
void declare_trust(CommandLine line, RecordChoice& choice);

// Tells the records that are chosen from others, as they come. All records are noted first where
// the choice has words, which stand for names among theirs.
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
// words. A word that stands for nothing is reported: no record is given, and false returned.
bool for_each_chosen(const RecordPlaces& places, RecordChoice& choice, std::vector<Target>& targets,
                     Diagnostics& reports,
                     const std::function<void(const FoundRecord& found, bool is_chosen)>& take);

// Returns those of the records that are chosen, in their order; `choice` has names in full then. A
// word that stands for nothing among them is reported, and then there are none.
std::vector<FoundRecord> chosen_records(const std::vector<FoundRecord>& records,
                                        RecordChoice& choice, Diagnostics& reports);

}  // namespace kbench
