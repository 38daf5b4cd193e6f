// What gather.hpp declares of the files that it writes.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <system_error>

#include "base/confined.hpp"
#include "base/errno_failure.hpp"
#include "cluster/gather.hpp"
#include "cluster/record_lines.hpp"
#include "cluster/shard_folder.hpp"
#include "schema/scan.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

// Text for many files, of which none is open for long.
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

  // Gives the files their names.
  void finish() {
    flush();
    for (const auto& [file, text] : waiting_) fs::rename(unfinished(file), file);
  }

  bool has(const fs::path& file) const { return waiting_.contains(file); }

 private:
  static constexpr std::size_t most_bytes = std::size_t{32} << 20;

  static fs::path unfinished(const fs::path& file) { return file.string() + ".gathering"; }

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
    // OUT/shards/3/traces/… becomes OUT/traces/…
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
