// Calls operators by the generated functions and by name, and prints what happens.
#include <cstdio>
#include <vector>

#include "Functions.h"
#include "RegisterKernels.h"
#include "kbench_registry.h"

#ifdef MANUAL
namespace torch::executor {
kbench::kernels::Error register_t_kernels();
}
#endif

using namespace kbench::kernels;

namespace {

struct Made {
  TensorImpl impl;
  Tensor tensor;

  Made(ScalarType type, std::vector<int> order) : tensor(&impl) {
    impl.type = type;
    for (const int dim : order) {
      impl.sizes[impl.dim] = 1;
      impl.dim_order[impl.dim++] = static_cast<DimOrderType>(dim);
    }
  }
  Made(const Made&) = delete;
};

void add(ScalarType type, const std::vector<int>& order) {
  Made x(type, order);
  Made y(ScalarType::Float, order);
  Made out(type, order);
  KernelRuntimeContext context;
  torch::executor::t::add_outf(context, x.tensor, y.tensor, 2.5, out.tensor);
}

void only(ScalarType type, bool with) {
  Made x(type, {0});
  const std::optional<Tensor> maybe = with ? std::optional(x.tensor) : std::nullopt;
  KernelRuntimeContext context;
  torch::executor::t::only_outf(context, x.tensor, maybe, x.tensor);
  std::printf("%d %s\n", static_cast<int>(context.failure_state()), context.message());
}

// Calls by name; returns the error of the lookup, or of the call.
int call(const char* name, std::vector<EValue> values, bool exactly = true) {
  std::vector<EValue*> stack;
  for (EValue& value : values) stack.push_back(&value);
  if (!exactly) stack.pop_back();
  const auto function = get_op_function_from_registry(name);
  if (!function.ok()) return static_cast<int>(function.error());
  KernelRuntimeContext context;
  (*function)(context, {stack.data(), stack.size()});
  if (context.failure_state() != Error::Ok) std::printf("%s\n", context.message());
  if (values.back().is<Tensor>()) std::puts("a tensor is behind the arguments");
  return static_cast<int>(context.failure_state());
}

void register_all() {
#ifdef MANUAL
  std::printf("before: %d\n", registry_has_op_function("t::add.out"));
  std::printf("registers: %d\n", static_cast<int>(torch::executor::register_t_kernels()));
  std::printf("again: %d\n", static_cast<int>(torch::executor::register_t_kernels()));
#endif
  std::printf("after: %d\n", registry_has_op_function("t::add.out"));
  std::printf("kernels: %zu\n", get_registered_kernels().size());
}

}  // namespace

int main() {
  register_all();
  add(ScalarType::Float, {0});
  add(ScalarType::Float, {0, 1});
  add(ScalarType::Float, {1, 0});
  add(ScalarType::Float, {0, 2, 3, 1});
  add(ScalarType::Long, {0, 1});
  add(ScalarType::Long, {1, 0});
  only(ScalarType::Float, true);
  only(ScalarType::Float, false);
  only(ScalarType::Long, true);
  Made made(ScalarType::Double, {0});
  const Tensor& x = made.tensor;
  const Tensor tensors[] = {x, x};
  const int64_t sizes[] = {1, 2, 3};
  const TensorList list(tensors);
  std::printf("%d\n", call("t::add.out", {x, x, int64_t{3}, x, x}));
  std::printf("%d\n", call("t::add.out", {x, x, int64_t{3}, x, x}, false));
  std::printf("%d\n", call("t::add.out", {x, x, std::string_view("3"), x, x}));
  std::printf("%d\n", call("t::two", {x, int64_t{4}, std::string_view("abc"), EValue(), EValue()}));
  std::printf("%d\n",
              call("t::lists.out", {list, ArrayRef<int64_t>(sizes), EValue(), list, EValue()}));
  std::printf("%d\n", call("t::throws.out", {x, x, x}));
  std::printf("%d\n", call("t::absent.out", {x}));
}
