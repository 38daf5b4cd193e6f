#include "judge/derive/directed_contender.hpp"

#include <utility>

#include "judge/environment.hpp"

namespace kbench {
namespace {

class DirectedContender final : public Contender {
 public:
  DirectedContender(const GradientSubject& subject, const EvaluateOptions& options,
                    Direction direction)
      : run_(subject, options, direction), direction_(direction) {
    evaluation_.timestamp = timestamp_now();
    evaluation_.status = Status::passed;
    evaluation_.kbench.emplace();
  }

  bool is_finished() const override { return is_passed_ || run_.has_failed(); }
  void load() override {
  }  // each of its processes is loaded when there is something to call it with
  void judge() override { run_.judge(); }
  void judge_last() override { run_.judge_one(); }

  bool is_on_gpu() const override { return false; }
  bool was_single_threaded() const override { return run_.was_single_threaded(); }
  void keep_to(const CoreSplit& cores) override { run_.keep_to(cores); }

  bool begin_timing() override { return run_.begin_timing(); }
  RunEpochs run_in_turn() override { return run_.run_in_turn(); }
  bool end_timing() override { return run_.end_timing(); }

  Places elsewhere() const override { return run_.elsewhere(); }
  void start_again(const Places& places) override { run_.start_again(places); }
  bool come_back() override { return run_.come_back(); }
  bool prove() override { return run_.prove(); }

  // The least that a gradient has to read, write and calculate is not known.
  bool believe(Timing& timing) override {
    timing.threads = static_cast<std::int64_t>(run_.cores().worker.size());
    timing.pinned = run_.cores().is_pinned();
    return true;
  }

  void pass(Timing timing) override {
    evaluation_.kbench->timing = std::move(timing);
    is_passed_ = true;
  }

  void time() override {
    if (run_.was_single_threaded()) run_.keep_to(split_cores(1));
    if (!run_.begin_timing()) return;
    auto timing = run_.time(direction_);
    if (timing && run_.prove() && run_.end_timing() && believe(*timing)) pass(std::move(*timing));
  }

  Evaluation finish() override {
    if (run_.has_failed()) return run_.failure();
    return std::move(evaluation_);
  }

 private:
  mutable DirectedRun run_;  // that a call has failed is noted when it is asked for
  Direction direction_;
  Evaluation evaluation_;
  bool is_passed_ = false;
};

}  // namespace

StartContender starts_directed(const PreparedGradient& prepared, GradientFunctions functions,
                               const EvaluateOptions& options, Direction direction) {
  return [&prepared, functions = std::move(functions), &options, direction](const Entrant& one) {
    const GradientSubject subject{prepared, *one.solution, *one.build, functions};
    return std::make_unique<DirectedContender>(subject, options, direction);
  };
}

}  // namespace kbench
