#include "worker/google_benchmark/engine.hpp"

#include <benchmark/benchmark.h>

#include <cstring>
#include <sstream>
#include <string>

#include "worker/turns.hpp"

namespace kbench::worker {
namespace {

// Calls until one fails, which is remembered: Google Benchmark goes on with the next repetition.
void call_until(benchmark::State& state, bool& good, Control& control, Candidate& candidate) {
  if (good) {
    for (auto _ : state) {
      good = call_once(control, candidate);
      if (!good) break;
    }
  }
  if (!good) state.SkipWithError("a call failed");
}

// The samples are there when their number says so: the judge waits for that number.
void leave_report(Control& control, const std::string& text) {
  const bool fits = text.size() <= sizeof control.report;
  if (fits) std::memcpy(control.report, text.data(), text.size());
  control.report_size = fits ? static_cast<std::uint32_t>(text.size()) : 0;
  __atomic_store_n(&control.sample_count, control.repetitions.count, __ATOMIC_RELEASE);
}

}  // namespace

void prepare_google_benchmark() {
  benchmark::BenchmarkReporter::Context::executable_name = "kbench";
  benchmark::CPUInfo::Get();
  benchmark::SystemInfo::Get();
}

bool run_google_benchmark(Control& control, Candidate& candidate) {
  const Repetitions asked = control.repetitions;
  bool good = true;
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark(
      "candidate", [&](benchmark::State& state) { call_until(state, good, control, candidate); })
      ->Repetitions(static_cast<int>(asked.count))
      ->MinTime(asked.min_seconds)
      ->Unit(benchmark::kNanosecond)
      ->UseRealTime();
  std::ostringstream out, errors;
  benchmark::JSONReporter reporter;
  reporter.SetOutputStream(&out);
  reporter.SetErrorStream(&errors);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  if (good) leave_report(control, out.str());
  return good;
}

}  // namespace kbench::worker
