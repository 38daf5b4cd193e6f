#include "cli/judging/trace_events.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>

#include "base/file.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/output.hpp"
#include "cli/shell/terminal.hpp"
#include "judge/judgement.hpp"

namespace kbench {
namespace {

// A list that viewers also read without its end ("Trace Event Format", JSON Array Format).
class TraceEventFile {
 public:
  TraceEventFile(Fd file, std::string path) : file_(std::move(file)), path_(std::move(path)) {
    write("[\n" + process_event("kbench", ::getpid()));
  }
  ~TraceEventFile() { write("\n]\n"); }
  TraceEventFile(const TraceEventFile&) = delete;
  TraceEventFile& operator=(const TraceEventFile&) = delete;

  void add(const Stage& stage, double begin_ns, double end_ns) {
    const std::lock_guard lock(mutex_);
    write(",\n" +
          trace_event(stage, {begin_ns - begin_ns_, end_ns - begin_ns_, ::getpid(), ::gettid()}));
  }

 private:
  // Writes at once: a process that is killed next leaves whole events.
  void write(const std::string& text) {
    if (is_broken_ ||
        ::write(file_.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()))
      return;
    is_broken_ = true;
    tell(fmt::format("warning: --trace-events: {} could not be written on: {}\n", path_,
                     std::strerror(errno)));
  }

  Fd file_;
  std::string path_;
  double begin_ns_ = judges_clock_ns();
  bool is_broken_ = false;
  std::mutex mutex_;
};

}  // namespace

void declare_stamps(CommandLine line, StampOptions& options) {
  line.add_flag("--stamp", options.stamp,
                "Write into each record the label by which profiles name its calls, and give "
                "profilers of a GPU ranges with it (NVTX); see docs/stamps.md");
  declare_trace_events(line, options);
}

void declare_trace_events(CommandLine line, StampOptions& options) {
  line.add_option("--trace-events FILE", options.trace_events,
                  "Write what time is spent on, with labels, to a file that chrome://tracing and "
                  "Perfetto open; see docs/stamps.md");
}

StageEvents trace_events_to(const std::string& path, Diagnostics& reports) {
  if (path.empty()) return {};
  Fd file = open_named_output(path);
  if (!file) {
    reports.error({path},
                  fmt::format("--trace-events: cannot be written: {}", std::strerror(errno)));
    return {};
  }
  auto events = std::make_shared<TraceEventFile>(std::move(file), path);
  return {.over = [events](const Stage& stage, double begin_ns, double end_ns) {
    events->add(stage, begin_ns, end_ns);
  }};
}

}  // namespace kbench
