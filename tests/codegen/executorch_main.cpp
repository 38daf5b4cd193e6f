// Calls the three kernels, and two of them as they must not be called.
#include <cstdio>
#include <vector>

#include "Functions.h"

using namespace kbench::kernels;

namespace {

struct Made {
  TensorImpl impl;
  std::vector<float> values;
  Tensor tensor;

  Made(std::vector<int64_t> sizes, std::vector<float> given) : values(given), tensor(&impl) {
    impl.dim = static_cast<int>(sizes.size());
    for (int i = 0; i < impl.dim; ++i) {
      impl.sizes[i] = sizes[static_cast<size_t>(i)];
      impl.dim_order[i] = static_cast<DimOrderType>(i);
    }
    impl.set_dense_strides();
    impl.data = values.data();
    impl.capacity = values.size() * sizeof(float);
    impl.is_resizable = true;
  }
  Made(const Made&) = delete;
};

void show(const char* what, KernelRuntimeContext& context, const Made& out) {
  std::printf("%s: %d", what, static_cast<int>(context.failure_state()));
  for (int64_t i = 0; i < out.impl.numel(); ++i)
    std::printf(" %g", out.values[static_cast<size_t>(i)]);
  std::printf("%s\n", context.message());
}

}  // namespace

int main() {
  Made a({2, 3}, {1, 2, 3, 4, 5, 6}), b({2, 3}, {1, 1, 1, 2, 2, 2}),
      out({2, 3}, {0, 0, 0, 0, 0, 0});
  KernelRuntimeContext first;
  torch::executor::aten::add_outf(first, a.tensor, b.tensor, 0.5, out.tensor);
  show("add", first, out);
  KernelRuntimeContext second;
  torch::executor::custom::mul3_outf(second, a.tensor, out.tensor);
  show("mul3", second, out);
  const int64_t dims[] = {-1};
  KernelRuntimeContext third(Scratch::heap);
  torch::executor::mine::mean_over_outf(third, a.tensor, ArrayRef<int64_t>(dims), std::nullopt,
                                        out.tensor);
  show("mean", third, out);
  KernelRuntimeContext fourth;
  Made one({1}, {7});
  torch::executor::aten::add_outf(fourth, a.tensor, one.tensor, 1, out.tensor);
  show("unlike shapes: ", fourth, one);
  a.impl.type = b.impl.type = out.impl.type = ScalarType::ComplexFloat;
  KernelRuntimeContext fifth;
  torch::executor::aten::add_outf(fifth, a.tensor, a.tensor, 1, a.tensor);
  show("complex: ", fifth, one);
}
