// What a run spends its time on, stage by stage, by the judge's clock: --trace-events, and what is
// shown of its progress.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kbench {

struct Stage {
  std::string name;  // "build", "reference", "load", "judge", "time", "audit", "contest", "race"
  std::string definition = {}, workload = {}, solution = {};  // "": of several, or of none
  std::string label =
      {};  // of the calls in it: schema/record_origin.hpp; of several with blanks between
};

// Told of stages; by several threads at once. A stage has one address from its begin to its end.
struct StageEvents {
  std::function<void(const Stage& stage)> begun = {};
  std::function<void(const Stage& stage, double begin_ns, double end_ns)> over = {};
};

// A stage, as long as this lives.
class StageSpan {
 public:
  StageSpan(const StageEvents& events, Stage stage);
  ~StageSpan();
  StageSpan(const StageSpan&) = delete;
  StageSpan& operator=(const StageSpan&) = delete;

 private:
  const StageEvents& events_;
  Stage stage_;
  double begin_ns_ = 0;
};

// Where the event of a stage stands in a file of them.
struct StagePlace {
  double begin_ns = 0, end_ns = 0;  // since the file was begun
  int process = 0, thread = 0;
};

// A complete event ("ph":"X") of the Trace Event Format, on a line without its break.
std::string trace_event(const Stage& stage, const StagePlace& place);
// What names the process of those that follow.
std::string process_event(std::string_view name, int process);

}  // namespace kbench
