// The peer nanobench on the kernels of kernels.cpp: `nanobench LIBRARY measure KERNEL N`. Built by
// bench/timing/run where NANOBENCH names the folder of nanobench.h.
#define ANKERL_NANOBENCH_IMPLEMENT
#include <dlfcn.h>
#include <dlpack/dlpack.h>
#include <nanobench.h>
#include <tvm/ffi/c_api.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

using Entry = int (*)(void*, const TVMFFIAny*, std::int32_t, TVMFFIAny*);

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const std::string kernel = argv[3];
  const long n = std::atol(argv[4]);
  void* const library = ::dlopen(argv[1], RTLD_NOW);
  if (library == nullptr) return 3;
  const auto entry = reinterpret_cast<Entry>(::dlsym(library, ("__tvm_ffi_" + kernel).c_str()));
  const long row = kernel == "dot" ? 256 : kernel == "softmax" ? 64 : 4096;
  std::vector<float> in(static_cast<std::size_t>(kernel == "chain" ? 1 : n * row), 0.5F);
  std::vector<float> out(in.size());
  std::int64_t shape[] = {static_cast<std::int64_t>(in.size())};
  DLTensor x{in.data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  DLTensor y{out.data(), {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, shape, nullptr, 0};
  TVMFFIAny arguments[3] = {}, result{};
  arguments[0].type_index = arguments[2].type_index = kTVMFFIDLTensorPtr;
  arguments[0].v_ptr = &x;
  arguments[1].type_index = kTVMFFIInt;
  arguments[1].v_int64 = n;
  arguments[2].v_ptr = &y;
  ankerl::nanobench::Bench bench;
  bench.output(nullptr);
  const auto begin = std::chrono::steady_clock::now();
  bench.run("kernel",
            [&] { ankerl::nanobench::doNotOptimizeAway(entry(nullptr, arguments, 3, &result)); });
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
  const double ns =
      1e9 * bench.results().front().median(ankerl::nanobench::Result::Measure::elapsed);
  std::printf("{\"ns\": %.6g, \"ms\": %.6g}\n", ns, ms.count());
}
