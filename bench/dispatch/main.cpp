// Costs of a call: directly, through the generated function, by name, and through PyTorch's
// dispatcher. The kernel does nothing; three tensors.
#include <benchmark/benchmark.h>
#ifdef WITH_TORCH
#include <ATen/ATen.h>
#include <torch/library.h>
#endif

#include "Functions.h"
#include "kbench_registry.h"

namespace {

using namespace kbench::kernels;

struct Call {
  explicit Call(int rank) {
    for (TensorImpl& impl : impls) {
      impl.dim = rank;
      for (int i = 0; i < rank; ++i) {
        impl.sizes[i] = 2;
        impl.dim_order[i] = static_cast<DimOrderType>(i);
      }
      impl.set_dense_strides();
    }
  }
  TensorImpl impls[3];
  Tensor self{&impls[0]}, other{&impls[1]}, out{&impls[2]};
  KernelRuntimeContext context;
};

void direct(benchmark::State& state) {
  Call call(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        &bench::native::touch_float_out(call.context, call.self, call.other, call.out));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(direct)->Arg(2)->Arg(4);

void generated(benchmark::State& state) {
  Call call(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        &torch::executor::bench::touch_outf(call.context, call.self, call.other, call.out));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(generated)->Arg(2)->Arg(4)->Arg(5);  // the default serves five dimensions

void by_name(benchmark::State& state) {
  Call call(2);
  EValue values[] = {call.self, call.other, call.out, {}};
  EValue* stack[] = {&values[0], &values[1], &values[2], &values[3]};
  const DimOrderType order[] = {0, 1};
  const TensorMeta meta{ScalarType::Float, {order, 2}};
  const TensorMeta metas[] = {meta, meta, meta};
  for (auto _ : state) {
    const auto function = get_op_function_from_registry("bench::touch.out", {metas, 3});
    function.get()(call.context, {stack, 4});
    benchmark::ClobberMemory();
  }
}
BENCHMARK(by_name);

#ifdef WITH_TORCH
at::Tensor& touch(const at::Tensor&, const at::Tensor&, at::Tensor& out) { return out; }

TORCH_LIBRARY(bench_dispatch, m) {
  m.def("touch.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)");
}
TORCH_LIBRARY_IMPL(bench_dispatch, CPU, m) { m.impl("touch.out", &touch); }

void torch_dispatcher(benchmark::State& state) {
  const auto op = c10::Dispatcher::singleton()
                      .findSchemaOrThrow("bench_dispatch::touch", "out")
                      .typed<at::Tensor&(const at::Tensor&, const at::Tensor&, at::Tensor&)>();
  at::Tensor self = at::empty({2, 2}), other = at::empty({2, 2}), out = at::empty({2, 2});
  for (auto _ : state) {
    benchmark::DoNotOptimize(&op.call(self, other, out));
    benchmark::ClobberMemory();
  }
}
BENCHMARK(torch_dispatcher);
#endif

}  // namespace

BENCHMARK_MAIN();
