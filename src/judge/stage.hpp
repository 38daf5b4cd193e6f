// Stages that a run spends its time on, by the judge's clock: --trace-events, and what is shown of
// its progress.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace kbench {

struct Stage {
  std::string name;  // "build", "reference", "load", "judge", "time", "audit", "contest", "race"
  std::string definition = {}, workload = {}, solution = {};  // "": of several, or of none
  std::string label =
      {};  // label of the calls in it: schema/record_signature.hpp; several with blanks between
};

// Callbacks of stages; several threads call at once. A stage has one address from begin to end.
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

// Place of a stage's event in a file of them.
struct StagePlace {
  double begin_ns = 0, end_ns = 0;  // time since the file was begun
  int process = 0, thread = 0;
};

// A complete event ("ph":"X") of the Trace Event Format, on a line without its break.
std::string trace_event(const Stage& stage, const StagePlace& place);
// Event that names the process of those that follow.
std::string process_event(std::string_view name, int process);

}  // namespace kbench
