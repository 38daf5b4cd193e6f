#include "cases.hpp"

#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <dlpack/dlpack.h>
#include <tvm/ffi/c_api.h>

#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "base/system.hpp"

namespace kbench::bench {
namespace {

struct Sizes {
  std::int64_t in, out;  // floats
};

Sizes sizes_of(const Case& what) {
  if (what.kernel == "dot") return {what.n * 256, 1};
  if (what.kernel == "softmax") return {what.n * 64, what.n * 64};
  if (what.kernel == "stream") return {what.n * 4096, what.n * 4096};
  return {1, 1};
}

void fill(float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 17) / 17.0F;
}

void check(const std::optional<CandidateFailure>& failure) {
  if (failure) throw std::runtime_error(failure->cause);
}

Inputs inputs_of(const Case& what) {
  const std::int64_t count = sizes_of(what).in;
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
  Inputs inputs;
  inputs.memory = SharedMemory("bench inputs", bytes);
  fill(reinterpret_cast<float*>(inputs.memory.data()), count);
  BoundInput x{"x", {}, {DType::float32, {count}, inputs.memory.data(), bytes}, 0, ""};
  BoundInput n{"n", Scalar{what.n}, {DType::int64, {}, nullptr, 0}, 0, ""};
  inputs.values.push_back(std::move(x));
  inputs.values.push_back(std::move(n));
  return inputs;
}

Problem problem_of(const Case& what) {
  Problem problem;
  problem.definition = what.kernel;
  const Sizes sizes = sizes_of(what);
  problem.inputs = {{{"x", DType::float32, false, {sizes.in}}, RandomInput{}},
                    {{"n", DType::int64, true, {}}, RandomInput{}}};
  problem.outputs = {{"y", DType::float32, false, {sizes.out}}};
  return problem;
}

CandidatePlan plan_of(const Case& what, bool second, const CoreSplit& cores) {
  CandidatePlan plan;
  plan.worker = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "kbench-worker";
  plan.library = library(second);
  plan.symbol = what.kernel;
  plan.limits.isolation = best_isolation();
  plan.cores = cores;
  return plan;
}

}  // namespace

std::filesystem::path library(bool second) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return folder / (second ? "libbench_kernels_b.so" : "libbench_kernels_a.so");
}

struct Buffers::State {
  Problem problem;
  Inputs inputs;
  SharedMemory stage;
  std::unique_ptr<PoisonedOutputs> outputs;

  explicit State(const Case& most)
      : problem(problem_of(most)),
        inputs(inputs_of(most)),
        stage("bench stage", inputs.memory.size()),
        outputs(std::make_unique<PoisonedOutputs>(problem.outputs)) {
    stage.seal_for_others();
  }
};

Buffers::Buffers(const Case& most) : state_(std::make_unique<State>(most)) {}
Buffers::~Buffers() = default;

void Buffers::move_outputs() {
  state_->outputs = std::make_unique<PoisonedOutputs>(state_->problem.outputs, fresh_secret());
}

Resident::Resident(const Case& what, Buffers& buffers, bool second, const CoreSplit& cores)
    : inputs_(buffers.state_->inputs), n_(what.n) {
  Buffers::State& shared = *buffers.state_;
  shared.inputs.values[1].scalar = Scalar{what.n};
  process_ = std::make_unique<CandidateProcess>(plan_of(what, second, cores), shared.problem,
                                                shared.inputs, shared.stage, *shared.outputs);
}

void Resident::come_up() {
  check(process_->load());
  inputs_.values[1].scalar = Scalar{n_};  // the other one's may stand there
  check(process_->call(inputs_, fresh_secret()));
  check(process_->begin_timing(fresh_secret()));
}

Resident::~Resident() = default;

RunEpochs Resident::run() {
  return [this](const Epochs& epochs) -> std::optional<std::vector<double>> {
    std::vector<double> samples;
    check(process_->run_epochs(epochs, samples));
    return samples;
  };
}

RunEpochs Resident::run_in_turn() {
  return [this, run = run()](const Epochs& epochs) {
    auto samples = run(epochs);
    check(process_->rest());
    return samples;
  };
}

namespace {

using Entry = int (*)(void*, const TVMFFIAny*, std::int32_t, TVMFFIAny*);

float* aligned(std::int64_t count) {
  constexpr std::size_t page = 4096;
  const std::size_t bytes =
      (static_cast<std::size_t>(count) * sizeof(float) + page - 1) / page * page;
  auto* const memory = static_cast<float*>(std::aligned_alloc(page, bytes));
  std::memset(memory, 0, bytes);
  return memory;
}

}  // namespace

double google_benchmark_ns(const Case& what, double min_seconds) {
  void* const handle = ::dlopen(library(false).c_str(), RTLD_NOW);
  if (handle == nullptr) throw std::runtime_error(::dlerror());
  const auto entry = reinterpret_cast<Entry>(::dlsym(handle, ("__tvm_ffi_" + what.kernel).c_str()));
  const Sizes sizes = sizes_of(what);
  float* const in = aligned(sizes.in);
  float* const out = aligned(sizes.out);
  fill(in, sizes.in);
  std::int64_t in_shape[] = {sizes.in}, out_shape[] = {sizes.out};
  DLTensor x{in, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, in_shape, nullptr, 0};
  DLTensor y{out, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, out_shape, nullptr, 0};
  TVMFFIAny arguments[3] = {}, result{};
  arguments[0].type_index = arguments[2].type_index = kTVMFFIDLTensorPtr;
  arguments[0].v_ptr = &x;
  arguments[1].type_index = kTVMFFIInt;
  arguments[1].v_int64 = what.n;
  arguments[2].v_ptr = &y;

  struct Reporter : benchmark::BenchmarkReporter {
    double ns = 0;
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>& runs) override {
      ns = runs.front().GetAdjustedRealTime();
    }
  } reporter;
  benchmark::RegisterBenchmark("kernel",
                               [&](benchmark::State& state) {
                                 for (auto _ : state)
                                   benchmark::DoNotOptimize(entry(nullptr, arguments, 3, &result));
                               })
      ->MinTime(min_seconds)
      ->Unit(benchmark::kNanosecond)
      ->UseRealTime();
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();
  std::free(in);
  std::free(out);
  return reporter.ns;
}

}  // namespace kbench::bench
