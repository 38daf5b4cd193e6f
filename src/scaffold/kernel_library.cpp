#include "scaffold/kernel_library.hpp"

#include <utility>

#include "base/text.hpp"

namespace kbench {
namespace {

constexpr const char* kernels_yaml =
    R"(# One operator with one kernel, which serves tensors of every dtype and dim order that it takes.
- func: LIBRARY::scale.out(Tensor x, float factor, *, Tensor(a!) out) -> Tensor(a!)
  kernels:
    - arg_meta: null
      kernel_name: LIBRARY::scale_out
)";

constexpr const char* kernels_source = R"(// The kernels of kernels.yaml.
INCLUDE "kbench_kernel.h"

namespace LIBRARY::native {

using namespace kbench::kernels;

// x * factor, of Float.
Tensor& scale_out(KernelRuntimeContext& context, const Tensor& x, double factor, Tensor& out) {
  KBENCH_KERNEL_CHECK(context, x.scalar_type() == ScalarType::Float, InvalidArgument, out,
                      "x must be Float");
  KBENCH_KERNEL_CHECK(context, out.scalar_type() == ScalarType::Float, InvalidArgument, out,
                      "out must be Float");
  KBENCH_KERNEL_CHECK(context, resize_tensor(out, x.sizes()) == Error::Ok, InvalidArgument, out,
                      "out has no room for the sizes of x");
  for (size_t d = 0; d < static_cast<size_t>(x.dim()); ++d) {
    KBENCH_KERNEL_CHECK(context, x.dim_order()[d] == out.dim_order()[d], InvalidArgument, out,
                        "x and out must lie in one dim order");
  }
  const float* const from = x.const_data_ptr<float>();
  float* const to = out.mutable_data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = from[i] * static_cast<float>(factor);
  return out;
}

}  // namespace LIBRARY::native
)";

constexpr const char* kernels_sidecar =
    R"(# Where the sources of the kernels are, for kbench kernels check, test and codegen.
sources: [kernels.cpp]
)";

constexpr const char* kernels_program = R"(// Calls the operator by its function, and by its name.
INCLUDE <cstdio>

INCLUDE "Functions.h"
INCLUDE "kbench_registry.h"

using namespace kbench::kernels;

int main() {
  float x[] = {1, 2, 3, 4}, y[4];
  TensorImpl impls[2];
  for (TensorImpl& impl : impls) {
    impl.data = &impl == &impls[0] ? x : y;
    impl.capacity = sizeof x;
    impl.dim = 1;
    impl.sizes[0] = 4;
    impl.set_dense_strides();
  }
  Tensor from(&impls[0]), to(&impls[1]);
  KernelRuntimeContext context;
  torch::executor::LIBRARY::scale_outf(context, from, 0.5, to);
  std::printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);

  const DimOrderType order[] = {0};
  const TensorMeta metas[] = {{ScalarType::Float, order}, {ScalarType::Float, order}};
  const auto scale = get_op_function_from_registry("LIBRARY::scale.out", metas);
  if (!scale.ok()) return 1;
  EValue values[] = {from, 2.0, to, {}};
  EValue* stack[] = {&values[0], &values[1], &values[2], &values[3]};
  scale.get()(context, {stack, 4});
  std::printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
  return context.failure_state() == Error::Ok ? 0 : 1;
}
)";

constexpr const char* kernels_cmake = R"(# cmake -B build && cmake --build build && build/program
cmake_minimum_required(VERSION 3.25)
project(LIBRARY LANGUAGES CXX)
find_package(kbench REQUIRED)

kbench_add_kernel_library(LIBRARY YAML kernels.yaml SOURCES kernels.cpp)

add_executable(program main.cpp)
target_link_libraries(program PRIVATE LIBRARY)
)";

// The includes of a text that is made are none of this file: INCLUDE stands for them.
std::string of_library(const std::string& text, const std::string& name) {
  return replace_all(replace_all(text, "INCLUDE ", "#include "), "LIBRARY", name);
}

}  // namespace

std::vector<NewFile> kernel_library_files(const std::string& name) {
  std::vector<NewFile> files;
  for (const auto& [file, text] : {std::pair{"kernels.yaml", kernels_yaml},
                                   {"kernels.kbench.yaml", kernels_sidecar},
                                   {"kernels.cpp", kernels_source},
                                   {"main.cpp", kernels_program},
                                   {"CMakeLists.txt", kernels_cmake}})
    files.push_back({name + "/" + file, of_library(text, name)});
  return files;
}

}  // namespace kbench
