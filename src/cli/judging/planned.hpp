// A run that a plan describes: its options as kbench plan was given them, and the part of its work
// that one shard is.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/shell/command_line.hpp"
#include "cluster/plan.hpp"

namespace kbench {

struct RunCommand;

// The part of all work that is judged.
struct WorkPart {
  std::int64_t number = 0;
  std::int64_t of = 1;
  std::shared_ptr<const ClusterPlan> plan = nullptr;  // null: parts of as many pairs each
};

// Reads "3/8" and "auto/8", "3" and "auto" with a plan; auto is the number that an engine gave this
// process. Mistakes in it are reported.
std::optional<WorkPart> read_shard(const std::string& word, std::shared_ptr<const ClusterPlan> plan,
                                   Diagnostics& reports);

// Takes away the options that no plan has: they are the machine's, or write elsewhere.
void remove_unplanned(CommandLine& line);

// Returns the options as words for a plan: paths are absolute.
std::vector<std::string> planned_options(const std::vector<GivenOption>& given);
// The regular files that these options name, each with its SHA-256 in front: their content is part
// of the plan.
std::vector<std::string> planned_files(const std::vector<GivenOption>& given);

// The command that a plan's options make, with those that were `given` beside them: these say how
// to work, and nothing of what is found. A mistake gives nothing and is reported.
std::shared_ptr<RunCommand> planned_command(const ClusterPlan& plan,
                                            const std::vector<GivenOption>& given,
                                            Diagnostics& reports);

// A shard of a plan, and the command that its plan and what is `given` make.
struct PlannedShard {
  WorkPart part;
  std::shared_ptr<RunCommand> command;
};

// Reads the plan and the number of the shard. A mistake gives nothing and is reported.
std::optional<PlannedShard> read_planned_shard(const std::string& plan_file,
                                               const std::string& shard,
                                               const std::vector<GivenOption>& given,
                                               Diagnostics& reports);

}  // namespace kbench
