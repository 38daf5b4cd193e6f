#include "cluster/gather.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "cluster/record_lines.hpp"
#include "cluster/shard_folder.hpp"
#include "schema/record_origin.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t shown_places = 3;

// 16 digits of a SHA-256: nobody can give a solution a name with the key of another's.
std::uint64_t key_of(std::string_view definition, std::string_view workload,
                     std::string_view solution) {
  std::string text;
  for (const std::string_view part : {definition, workload, solution})
    text.append(std::to_string(part.size())).append(" ").append(part);
  return std::stoull(sha256_hex(text).substr(0, 16), nullptr, 16);
}

std::optional<Trace> read_line(const std::string& file, const RecordLine& line, bool is_emulated) {
  Diagnostics ignored;
  thread_local Source source;  // a line's memory serves the next one
  source.path = file;
  source.text = line.text;
  auto trace = read_trace_line(source, line.number, {}, ignored);
  if (trace && trace->emulation.has_value() != is_emulated) return std::nullopt;  // moved there
  if (trace && trace->emulation) trace->evaluation = *trace->emulation;
  return trace && trace->solution && trace->evaluation ? std::move(trace) : std::nullopt;
}

bool is_on_gpu(const Trace& trace, const std::string& gpu) {
  const auto& record = trace.evaluation->kbench->gpu;
  return !record || lower(record->name).find(lower(gpu)) != std::string::npos;
}

class Gathering {
 public:
  // All pairs, or those of one shard.
  explicit Gathering(const ClusterPlan& plan, std::optional<std::int64_t> only = {}) : plan_(plan) {
    const std::size_t pairs = plan.count_pairs();
    found_.records.resize(pairs);
    if (!only) index_.reserve(pairs);
    for (std::size_t unit = 0, pair = 0; unit < plan.units.size(); ++unit)
      for (std::size_t i = 0; i < plan.units[unit].solutions.size(); ++i, ++pair) {
        if (only && plan.units[unit].shard != *only) continue;
        index_.emplace(key_of(plan.units[unit].definition, plan.units[unit].workload,
                              plan.units[unit].solutions[i]),
                       Pair{static_cast<std::uint32_t>(unit), static_cast<std::uint32_t>(i),
                            static_cast<std::uint32_t>(pair)});
      }
  }

  void take_folder(const fs::path& shard) {
    for (const char* const part : record_folders) {
      if (!fs::is_directory(shard / part)) continue;
      is_emulated_ = std::string_view(part) == "emulated";
      for (const std::string& file : files_below(shard / part, ".jsonl"))
        take_file((shard / part / file).string());
    }
  }

  void take_all(const fs::path& out) {
    for (std::int64_t shard = 0; shard < plan_.head.shards; ++shard)
      take_folder(shard_folder(out, shard));
  }

  std::size_t judged() const { return judged_; }

  Gathered finish() {
    std::size_t pair = 0;
    for (const PlanUnit& unit : plan_.units)
      for (std::size_t i = 0; i < unit.solutions.size(); ++i, ++pair)
        if (found_.records[pair].bytes == 0) {
          ++found_.missing;
          ++found_.missing_of[unit.shard];
        }
    return std::move(found_);
  }

 private:
  struct Pair {
    std::uint32_t unit, solution, number;
  };

  // What was written since it was looked at.
  void take_file(const std::string& file) {
    const auto [place, is_new] = ends_.try_emplace(file, found_.files.size(), RecordLine{});
    if (is_new) found_.files.push_back(file);
    auto& [number, end] = place->second;
    file_ = number;
    end = for_each_record(
        file, [this](const RecordLine& line) { take(line); }, end);
  }

  const Pair* pair_of(const Trace& trace) const {
    const auto found = index_.find(key_of(trace.definition, trace.workload.uuid, *trace.solution));
    if (found == index_.end()) return nullptr;
    const PlanUnit& unit = plan_.units[found->second.unit];
    const bool is_it = unit.definition == trace.definition &&
                       unit.workload == trace.workload.uuid &&
                       unit.solutions[found->second.solution] == *trace.solution;
    return is_it ? &found->second : nullptr;
  }

  // Nothing where the record is the pair's.
  std::optional<RecordFault> fault_of(const Trace& trace, const Pair& pair) const {
    const Doubt doubt = doubt_about(trace);
    if (doubt == Doubt::edited) return RecordFault::edited;
    if (doubt == Doubt::not_signed || doubt == Doubt::signed_in_old_form)
      return RecordFault::not_signed;
    const auto& details = trace.evaluation->kbench;
    if (!details || !details->run || details->run->plan != plan_.digest)
      return RecordFault::unplanned;
    if (details->run->pair != plan_.units[pair.unit].digests[pair.solution])
      return RecordFault::changed;
    if (plan_.head.gpu && !is_on_gpu(trace, *plan_.head.gpu)) return RecordFault::other_gpu;
    return std::nullopt;
  }

  void take(const RecordLine& line) {
    const auto trace = read_line(found_.files[file_], line, is_emulated_);
    if (!trace) return note(RecordFault::broken, line);
    const Pair* const pair = pair_of(*trace);
    if (pair == nullptr) return note(RecordFault::unplanned, line);
    if (const auto fault = fault_of(*trace, *pair)) return note(*fault, line);
    const RunRecord& run = *trace->evaluation->kbench->run;
    found_.hardware_at[trace->evaluation->environment.hardware].insert(run.node);
    found_.speeds.note(run.node, *trace->evaluation);
    GatheredRecord& known = found_.records[pair->number];
    if (known.bytes == 0)
      ++judged_;
    else
      note(RecordFault::doubled, line);
    if (known.bytes > 0 && known.attempt <= run.attempt) return;
    known = {line.begin, static_cast<std::uint32_t>(line.text.size()),
             static_cast<std::uint32_t>(file_), run.attempt};
  }

  void note(RecordFault fault, const RecordLine& line) {
    FaultCount& count = found_.faults[static_cast<std::size_t>(fault)];
    if (count.count++ < shown_places)
      count.places.push_back(fmt::format("{}:{}", found_.files[file_], line.number));
  }

  const ClusterPlan& plan_;
  std::unordered_map<std::uint64_t, Pair> index_;
  Gathered found_;
  std::map<std::string, std::pair<std::size_t, RecordLine>> ends_;  // by file: its number, its end
  std::size_t file_ = 0;                                            // of found_.files
  bool is_emulated_ = false;                                        // the folder of that file
  std::size_t judged_ = 0;
};

}  // namespace

std::string_view text_of(RecordFault fault) {
  constexpr std::string_view texts[fault_count] = {
      "twice: the record of the earlier attempt counts",
      "of another definition, workload or solution than was planned",
      "from another GPU than the plan names",
      "changed after being written",
      "that no trusted key has signed",
      "of no pair of this plan",
      "that cannot be read",
  };
  return texts[static_cast<std::size_t>(fault)];
}

Gathered gather(const ClusterPlan& plan, const fs::path& out) {
  Gathering gathering(plan);
  gathering.take_all(out);
  return gathering.finish();
}

std::function<std::size_t()> counter_of_judged(const ClusterPlan& plan, const fs::path& out) {
  return [gathering = std::make_shared<Gathering>(plan), out] {
    gathering->take_all(out);
    return gathering->judged();
  };
}

Gathered gather_shard(const ClusterPlan& plan, std::int64_t shard, const fs::path& folder) {
  Gathering gathering(plan, shard);
  gathering.take_folder(folder);
  return gathering.finish();
}

}  // namespace kbench
