// Rates of the loops that a run spends its time in: reading traces, making inputs, comparing
// outputs.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/json.hpp"
#include "data/normal.hpp"
#include "schema/read.hpp"
#include "schema/trace.hpp"
#include "verdict/error_statistics.hpp"

namespace kbench {
namespace {

constexpr const char* line =
    R"({"definition": "gemm_n4096_k4096", "workload": {"axes": {"M": 16}, "inputs": {"A": {"type": )"
    R"("random"}, "B": {"type": "random"}}, "uuid": "0b6f"}, "solution": "s", "evaluation": {"status": )"
    R"("PASSED", "environment": {"hardware": "CPU", "libs": {"torch": "2.15.0"}}, "timestamp": "t", )"
    R"("log": "", "correctness": {"max_relative_error": 0.01, "max_absolute_error": 1e-3}, )"
    R"("performance": {"latency_ms": 1.5, "reference_latency_ms": 3.0, "speedup_factor": 2.0}}})";

void read_trace(benchmark::State& state) {
  const Source source{"line", line};
  for (auto _ : state) {
    Diagnostics problems;
    auto trace = read_text<Trace>(source, {}, problems);
    benchmark::DoNotOptimize(trace);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(read_trace);

void make_normals(benchmark::State& state) {
  std::vector<float> out(1 << 20);
  for (auto _ : state) {
    standard_normals({}, 0, out);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(out.size()));
}
BENCHMARK(make_normals)->Unit(benchmark::kMillisecond);

void compare_outputs(benchmark::State& state) {
  const std::vector<float> values(1 << 24, 1.5F);
  const TensorView view{DType::float32,
                        {1 << 24},
                        reinterpret_cast<const std::byte*>(values.data()),
                        values.size() * sizeof(float)};
  for (auto _ : state) benchmark::DoNotOptimize(error_statistics(view, view, 1e-2F, 1e-2F));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(values.size()));
}
BENCHMARK(compare_outputs)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace kbench
