// How a Judgement times a solution by Google Benchmark.
#include <algorithm>
#include <cstdint>

#include "judge/google_report.hpp"
#include "judge/judgement.hpp"

namespace kbench {
namespace {

// The budget is that of all repetitions; Google Benchmark calls once at least.
Repetitions repetitions_for(const EvaluateOptions& options) {
  constexpr std::int64_t usual = 10;  // its compare.py asks for 9
  Repetitions asked;
  asked.count = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
      options.config.iterations_given ? options.config.iterations : usual, 1, most_repetitions));
  asked.min_seconds = options.judge.budget_seconds / asked.count;
  return asked;
}

// Nothing is subtracted, and nothing keeps calls apart.
Timing describe_repetitions(GoogleReport report, double control_before, double control_after) {
  Sampled sampled;
  sampled.samples_ns = std::move(report.samples_ns);
  sampled.pace.calls = static_cast<std::uint64_t>(report.calls);
  sampled.stop = Stop::count;
  sampled.control_ns = {control_before, control_after};
  Timing timing = describe_timing(sampled, false);
  timing.null_ns.reset();
  timing.serial = false;
  timing.engine = engine_name(Engine::google_benchmark);
  timing.google_benchmark = std::move(report.json);
  return timing;
}

}  // namespace

std::optional<Timing> Judgement::sample_by_google_benchmark() {
  if (!begin_timing()) return std::nullopt;
  const Repetitions asked = repetitions_for(options_);
  Epochs first;
  first.warmups = sampling_rule(options_).warmups;
  const auto before = measure_control(run());
  if (!before || (first.warmups > 0 && !run()(first))) return std::nullopt;
  std::string text;
  if (const auto failure = process_->run_google_benchmark(asked, text)) {
    fail(*failure);
    return std::nullopt;
  }
  auto report = read_google_report(text, asked.count);
  if (!report) {
    fail(Status::runtime_error,
         "PROTOCOL_ERROR: what Google Benchmark should have written makes no sense");
    return std::nullopt;
  }
  const auto after = measure_control(run());
  if (!after || !prove() || !end_timing()) return std::nullopt;
  return describe_repetitions(std::move(*report), *before, *after);
}

}  // namespace kbench
