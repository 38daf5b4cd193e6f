// Records of shards: those that count are found, and written to the gathered files.
#include "cluster/gather.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/confined.hpp"
#include "base/digest.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "cluster/shard_folder.hpp"
#include "schema/record_signature.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t shown_places = 3;

// Returns 16 digits of a SHA-256: nobody can give a solution a name with the key of another's.
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
  // Gathers all pairs, or those of one shard.
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
    std::error_code error;
    for (const char* const part : record_folders) {
      const fs::path folder = shard / part;
      const bool is_there = fs::symlink_status(folder, error).type() != fs::file_type::not_found;
      if (!is_there || !is_clear(folder, [&] { check_confined(folder); })) continue;
      is_emulated_ = std::string_view(part) == "emulated";
      for (const fs::path name : files_below(folder, ".jsonl")) {
        const std::string file = (folder / name).string();
        // AUTHOR/OP_TYPE/DEFINITION.jsonl: no shard's folder stands in the way of another's file.
        if (std::distance(name.begin(), name.end()) != 3)
          note(RecordFault::broken, file + " (no run writes there)");
        else
          is_clear(file, [&] { take_file(file); });
      }
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

  // Notes what cannot be read: it is that shard's fault, and the others go on.
  bool is_clear(const fs::path& place, const std::function<void()>& read) try {
    read();
    return true;
  } catch (const std::system_error& error) {
    note(RecordFault::broken, fmt::format("{} ({})", place.string(), error.code().message()));
    return false;
  }

  // Takes the lines written since the last look.
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

  // Returns nothing where the record is the pair's.
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
    note(fault, fmt::format("{}:{}", found_.files[file_], line.number));
  }
  void note(RecordFault fault, std::string place) {
    FaultCount& count = found_.faults[static_cast<std::size_t>(fault)];
    if (count.count++ < shown_places) count.places.push_back(std::move(place));
  }

  const ClusterPlan& plan_;
  std::unordered_map<std::uint64_t, Pair> index_;
  Gathered found_;
  std::map<std::string, std::pair<std::size_t, RecordLine>> ends_;  // file: its number, its end
  std::size_t file_ = 0;                                            // index into found_.files
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

namespace {

// Text for many files, none of which is open for long.
class ManyFiles {
 public:
  ManyFiles() = default;
  ManyFiles(const ManyFiles&) = delete;
  ManyFiles& operator=(const ManyFiles&) = delete;
  ~ManyFiles() {
    std::error_code ignored;
    for (const fs::path& file : begun_) fs::remove(unfinished(file), ignored);
  }

  void append(const fs::path& file, std::string_view line) {
    std::string& text = waiting_[file];
    text.append(line).append("\n");
    bytes_ += line.size();
    if (bytes_ > most_bytes) flush();
  }

  // Gives the files their final names.
  void finish() {
    flush();
    for (const auto& [file, text] : waiting_) fs::rename(unfinished(file), file);
  }

  bool has(const fs::path& file) const { return waiting_.contains(file); }

 private:
  static constexpr std::size_t most_bytes = std::size_t{32} << 20;

  static fs::path unfinished(const fs::path& file) {
    return file.parent_path() / (sha256_hex(file.filename().string()) + ".gathering");
  }

  void flush() {
    for (auto& [file, text] : waiting_) {
      create_confined_folders(file.parent_path());
      // A file of that name which is there is another's, or of a call that was killed.
      const bool is_new = begun_.insert(file).second;
      if (is_new) ::unlink(unfinished(file).c_str());
      const int how = is_new ? O_CREAT | O_EXCL : O_NOFOLLOW;
      write_all(open_confined(unfinished(file), O_WRONLY | O_APPEND | how), text, file);
      std::string().swap(text);  // its memory, too
    }
    bytes_ = 0;
  }

  std::map<fs::path, std::string> waiting_;
  std::set<fs::path> begun_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::string foreign_record(const ClusterPlan& plan, const fs::path& out) {
  const std::string mark = "\"plan\":\"" + plan.digest + "\"";
  std::string found;
  for (const char* const part : record_folders) {
    if (!fs::is_directory(out / part)) continue;
    for (const std::string& name : files_below(out / part, ".jsonl")) {
      const std::string file = (out / part / name).string();
      for_each_record(file, [&](const RecordLine& line) {
        if (found.empty() && line.text.find(mark) == line.text.npos)
          found = fmt::format("{}:{}", file, line.number);
      });
    }
  }
  return found;
}

GatheredFiles write_gathered(const Gathered& gathered, const fs::path& out) {
  ManyFiles files;
  Fd in;
  std::string line;
  std::uint32_t open = 0;
  for (const GatheredRecord& record : gathered.records) {
    if (record.bytes == 0) continue;
    const std::string& file = gathered.files[record.file];
    if (!in || open != record.file) in = open_confined(file, O_RDONLY);
    open = record.file;
    line.resize(record.bytes);
    if (::pread(in.get(), line.data(), line.size(), static_cast<off_t>(record.begin)) !=
        static_cast<ssize_t>(line.size()))
      fail_by_errno(file);
    // File OUT/shards/3/traces/… becomes OUT/traces/…
    auto part = fs::path(file).lexically_relative(out / "shards");
    files.append(out / part.lexically_relative(*part.begin()), line);
  }
  files.finish();
  GatheredFiles made;
  for (const char* const part : record_folders) {
    const fs::path folder = out / part;
    if (!fs::is_directory(folder)) continue;
    const std::size_t before = made.set_aside.size();
    const std::vector<std::string> names = files_below(folder, ".jsonl");
    for (const std::string& name : names) {
      if (files.has(folder / name)) continue;
      made.set_aside.push_back((folder / name).string());
      fs::rename(folder / name, made.set_aside.back() + std::string(aside));
    }
    if (names.size() > made.set_aside.size() - before) made.folders.push_back(folder.string());
  }
  return made;
}

}  // namespace kbench
