// kbench gather and kbench status: docs/cluster.md.
#include "cluster/gather.hpp"

#include <fmt/format.h>
#include <sys/file.h>

#include <memory>

#include "base/confined.hpp"
#include "base/text.hpp"
#include "base/work_folder.hpp"
#include "cli/cluster/out_folder.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/terminal.hpp"
#include "cluster/shard_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t shown_shards = 20;

void say_faults(const Gathered& gathered) {
  for (std::size_t i = 0; i < fault_count; ++i) {
    const FaultCount& fault = gathered.faults[i];
    if (fault.count == 0) continue;
    print(fmt::format("{} {}: {}{}\n", counted(fault.count, "record"),
                      text_of(static_cast<RecordFault>(i)), printable(join(fault.places, ", ")),
                      fault.count > fault.places.size() ? ", …" : ""));
  }
}

void say_missing(const Gathered& gathered, const fs::path& out) {
  std::size_t said = 0;
  for (const auto& [shard, count] : gathered.missing_of) {
    if (said++ == shown_shards) {
      print(fmt::format("and {} more shards\n", gathered.missing_of.size() - shown_shards));
      break;
    }
    print(lack_line(out, shard, count));
  }
}

// Times of two kinds of machine stand in no order.
void say_kinds(const Gathered& gathered) {
  if (gathered.hardware_at.size() < 2) return;
  print("several kinds of machine, which no ranking may mix:\n");
  for (const auto& [hardware, nodes] : gathered.hardware_at)
    print(fmt::format("  {}: {}\n", printable(hardware),
                      printable(join(std::vector(nodes.begin(), nodes.end()), ", "))));
}

void say_speeds(const NodeValues& values, const char* what, std::string (*text)(double)) {
  const std::vector<NodeSpeed> speeds = beside_each_other(values);
  std::vector<std::string> off;
  for (const NodeSpeed& speed : speeds) {
    if (!speed.is_off) continue;
    off.push_back(printable(speed.node));
    print(fmt::format("node {}: {} {}, {:+.1f} % beside the median node\n", off.back(), what,
                      text(speed.median), 100 * speed.deviation));
  }
  if (!off.empty())
    print(fmt::format("kbench submit --exclude {} leaves {} out\n", shell_quote(join(off, ",")),
                      off.size() == 1 ? "it" : "them"));
}

int gather_all(const fs::path& out) {
  Diagnostics reports;
  const auto plan = plan_of(out, reports);
  if (!plan) return exit_after(reports, exit_input);
  create_confined_folders(out / "shards");
  const FolderLock lock(out / "shards", LOCK_EX);  // one at a time reads, and writes what it read
  if (const std::string place = foreign_record(*plan, out); !place.empty()) {
    reports.error({}, fmt::format("{} is no record of this plan, and would be overwritten", place),
                  "gather a plan in a folder of its own");
    return exit_after(reports, exit_input);
  }
  const Gathered gathered = gather(*plan, out);
  GatheredFiles files = write_gathered(gathered, out);
  if (files.folders.empty()) files.folders.push_back((out / "traces").string());
  for (const std::string& file : files.set_aside)
    print(fmt::format(
        "{0} is of an earlier gather, and none of its records counts: it is {0}{1} now\n",
        printable(file), aside));
  say_faults(gathered);
  say_missing(gathered, out);
  say_kinds(gathered);
  say_speeds(gathered.speeds.control_ns, "kbench's own computation takes", &human_time);
  say_speeds(gathered.speeds.clock_mhz, "its GPUs run at",
             [](double clock) { return fmt::format("{:.0f} MHz", clock); });
  const std::size_t pairs = gathered.records.size();
  print(fmt::format("{} of {} in {}\n", pairs - gathered.missing, counted(pairs, "pair"),
                    join(files.folders, " and ")));
  if (gathered.missing == 0) return exit_good;
  const bool is_of_slurm = fs::exists(job_file(out));
  print(fmt::format("kbench submit --resume{} --out {}{} sends what is missing\n",
                    is_of_slurm ? "" : " --engine local", shell_quote(out.string()), keys_words()));
  return exit_negative;
}

}  // namespace

std::function<int()> declare_gather(CommandLine line) {
  auto out = std::make_shared<std::string>();
  line.add_option("folder OUT", *out, "The folder of the run").required();
  return [out] { return gather_all(*out); };
}

std::function<int()> declare_status(CommandLine line) {
  auto out = std::make_shared<std::string>();
  line.add_option("folder OUT", *out, "The folder of the run").required();
  return [out] {
    Diagnostics reports;
    const auto plan = plan_of(*out, reports);
    if (plan) print(progress_line(*plan, *out, counter_of_judged(*plan, *out)()));
    return exit_after(reports, exit_good);
  };
}

}  // namespace kbench
