// Rates of the loops that a run spends its time in: reading traces, making inputs, comparing
// outputs.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/json.hpp"
#include "problem/data/random.hpp"
#include "problem/element.hpp"
#include "schema/read.hpp"
#include "schema/trace.hpp"
#include "verdict/error_statistics.hpp"
#include "verdict/within_tolerance.hpp"

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

// The rule kbench on a right bfloat16 output: the argument is its elements, in rows of 128.
void rule_kbench(benchmark::State& state) {
  const auto count = static_cast<std::size_t>(state.range(0));
  std::vector<float> normals(count);
  standard_normals({}, 0, normals);
  const std::vector<double> answer(normals.begin(), normals.end()), condition(count, 1.0);
  std::vector<std::byte> bytes(2 * count);
  encode(DType::bfloat16, std::span<const float>(normals), bytes.data(), 0);
  const std::vector<std::int64_t> shape{state.range(0) / 128, 128};
  const KProblem problem{
      .inputs = {DType::bfloat16}, .outputs = {DType::bfloat16}, .terms = 128, .is_random = true};
  const ErrorTolerance by({answer, condition, 4}, shape, native_scale(problem, DType::bfloat16));
  const TensorView output{DType::bfloat16, shape, bytes.data(), bytes.size()};
  for (auto _ : state) benchmark::DoNotOptimize(k_statistic(output, by));
  state.counters["ns_an_element"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(count) * 1e-9,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(rule_kbench)->Arg(1 << 18)->Arg(1 << 24);

}  // namespace
}  // namespace kbench
