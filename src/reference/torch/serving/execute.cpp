#include "reference/torch/serving/execute.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <sys/prctl.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/profiling_graph_executor_impl.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "reference/torch/exact/work_count.hpp"
#include "reference/torch/serving/memory.hpp"
#include "reference/torch/serving/outputs.hpp"
#include "reference/torch/serving/python.hpp"
#include "sandbox/box.hpp"
#include "sandbox/file_view.hpp"
#include "sandbox/filter.hpp"

namespace kbench {
namespace {

// Calls each of Intel's vector functions inside LibTorch (MKL's VML: exp, log, sqrt, …) once, on
// this thread. MKL picks a function's kernel in its first call; when two threads make that call
// together, one of them may compute its part with a kernel of low accuracy: errors of 1e-5 in
// float32 (pytorch/pytorch#188792). Every fork would make first calls, so a process that forks
// calls this first.
void settle_vector_math() {
  for (const auto dtype : {at::kFloat, at::kDouble}) {
    const at::Tensor x = at::full({1}, 0.5, dtype);
    for (const auto function :
         {&at::acos, &at::asin, &at::atan, &at::cos, &at::erf, &at::erfc, &at::erfinv, &at::exp,
          &at::log, &at::log10, &at::log2, &at::sin, &at::sqrt, &at::tan, &at::tanh, &at::trunc})
      function(x);
  }
}

using Clock = std::chrono::steady_clock;

// Limit of a call, ns: a longer one is not made once more to count its operations.
constexpr double longest_counted_ns = 1e9;

// Limit of a first call, ns: a longer one is made once more, since what a judge spares a slow
// reference must not depend on what else the machine does.
constexpr double slow_call_ns = 2e7;

// Files of LibTorch's that are loaded late, and those that a reference in Python may import.
FileView visible_files() {
  FileView files;
  files.readable = system_libraries();
  files.readable.push_back(libtorch_folder());
  for (std::filesystem::path& file : machine_files()) files.readable.push_back(std::move(file));
  if (is_python())
    for (std::string& folder : python_folders()) files.readable.emplace_back(std::move(folder));
  return files;
}

// Confines the process to computing and answering: the reference is somebody's program. A process
// that answers several requests is confined by the first.
void confine(const ReferenceRequest& request) {
  static bool is_confined = false;
  if (std::exchange(is_confined, true)) return;
  limit_memory(request.bytes);
  if (landlock_version() > 0) {
    const Fd rules = make_landlock_rules(visible_files());
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !obey(rules.get()))
      throw std::runtime_error("the reference cannot be confined: Landlock takes no rules");
  }
  if (const char* failed = drop_capabilities())
    throw std::runtime_error(std::string("the reference cannot be confined: ") + failed);
  if (!install(only_computing()))
    throw std::runtime_error("the reference cannot be confined: this kernel has no seccomp");
}

// Reference and its arguments, ready to be called again and again.
class Call {
 public:
  Call(ReferenceFunction& function, const ReferenceRequest& request, const PrivateInputs& inputs)
      : function_(function), arguments_(native_arguments(request.inputs, inputs)) {}

  // Returns the result, and the duration of the call, ns.
  std::pair<c10::IValue, double> operator()() {
    const auto begin = Clock::now();
    c10::IValue value = function_.call(arguments_);
    const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
    return {std::move(value), took.count()};
  }

  const std::vector<c10::IValue>& arguments() const { return arguments_; }

 private:
  ReferenceFunction& function_;
  std::vector<c10::IValue> arguments_;
};

ReferenceReply reply_for(ReferenceOutcome outcome, const std::string& message, int line) {
  ReferenceReply reply;
  reply.outcome = outcome;
  reply.message = message;
  reply.line = line;
  return reply;
}

// Returns the answer where the generator begins elsewhere, and unwritten memory holds `byte`.
std::vector<at::Tensor> answer_from(Call& call, const ReferenceRequest& request,
                                    const PrivateInputs& inputs, std::uint64_t seed,
                                    unsigned char byte) {
  inputs.restore(inputs.modified());
  at::manual_seed(seed);
  UnwrittenFill fill(byte);
  const WatchOperators watching(fill);
  std::vector<at::Tensor> out = output_tensors(call().first, request);
  for (at::Tensor& tensor : out) tensor = tensor.contiguous().clone();  // it may be an input
  return out;
}

bool are_same(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && a.nbytes() == b.nbytes() &&
         std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

bool is_steady(Call& call, const ReferenceRequest& request, const PrivateInputs& inputs,
               bool draws) {
  const auto one = answer_from(call, request, inputs, 1, 0x2d);
  const auto other = answer_from(call, request, inputs, draws ? 1 : 2, 0x5a);
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), are_same);
}

// Makes one more call. The answer, or the reason that there is none, is known already: nothing that
// this one raises matters.
void watch(Call& call, const ReferenceRequest& request, const PrivateInputs& inputs,
           WatchedCall& out) {
  inputs.restore(inputs.modified());
  WorkCount count(call.arguments());
  std::string unsteady;
  try {
    {
      const WatchOperators watching(count);
      const c10::IValue returned = call().first;
      out.bytes_read = count.bytes_read(returned);
      out.flops = count.flops();
    }
    unsteady = count.uses().unsteady();
    if (!unsteady.empty() && is_steady(call, request, inputs, count.uses().draws()))
      unsteady.clear();
  } catch (const std::exception&) {
  }
  out.unsteady = unsteady;
  out.uses = count.uses().uses();
  out.wraps = count.uses().wraps();
}

// `watched`: of a call that fails, too.
ExecuteResult call_once(ReferenceFunction& function, const ReferenceRequest& request,
                        const PrivateInputs& inputs, WatchedCall& watched) try {
  const at::NoGradGuard no_grad;
  Call call(function, request, inputs);
  const auto [value, first_ns] = call();
  ExecuteResult result = collect_outputs(value, request);
  for (const ReferenceArgument* input : inputs.modified())
    result.reply.written.push_back(input->name);
  result.reply.call_ns = first_ns;
  if (request.effort.watch && first_ns < longest_counted_ns) {
    if (first_ns > slow_call_ns) {
      inputs.restore(inputs.modified());
      result.reply.call_ns = std::min(first_ns, call().second);
    }
    watch(call, request, inputs, watched);
  }
  return result;
} catch (const std::bad_alloc&) {
  throw;
} catch (const std::exception&) {
  const at::NoGradGuard no_grad;
  Call call(function, request, inputs);
  if (request.effort.watch) watch(call, request, inputs, watched);
  throw;
}

// Runs check() on inputs that include a candidate's outputs.
ExecuteResult check(ReferenceFunction& function, const ReferenceRequest& request,
                    const PrivateInputs& inputs) {
  const at::NoGradGuard no_grad;
  const c10::IValue returned = Call(function, request, inputs)().first;
  return {judged_by_residuals(returned), {}};
}

ExecuteResult run(const ReferenceRequest& request, Fd memory, WatchedCall& watched) {
  at::set_num_threads(std::max(request.threads, 1));
  at::manual_seed(0);  // LibTorch's own seed is another one each time
  std::vector<ReferenceArgument> tensors = request.inputs;
  tensors.insert(tensors.end(), request.cotangents.begin(), request.cotangents.end());
  const PrivateInputs inputs(std::move(memory), tensors);
  confine(request);
  if (request.kind == ReferenceRequest::Kind::gradient) return run_gradient(request, inputs);
  if (request.arithmetic == Arithmetic::exact) return run_exact(request, inputs);
  const std::unique_ptr<ReferenceFunction> function = load_reference(request, {});
  if (request.kind == ReferenceRequest::Kind::compile) return {};
  if (request.kind == ReferenceRequest::Kind::check) return check(*function, request, inputs);
  return call_once(*function, request, inputs, watched);
}

ExecuteResult run_or_say_why(const ReferenceRequest& request, Fd inputs, WatchedCall& watched) {
  try {
    return run(request, std::move(inputs), watched);
  } catch (const Unsupported& error) {
    return {reply_for(ReferenceOutcome::unsupported, error.message, error.line), {}};
  } catch (const RaisedError& error) {
    ReferenceReply reply = run_error(error.what());  // it recognises lack of memory
    if (reply.outcome == ReferenceOutcome::failed) reply.message = error.what();
    reply.line = error.line;
    return {reply, {}};
  } catch (const std::bad_alloc&) {
    return {run_error("std::bad_alloc"), {}};
  } catch (const std::exception& error) {
    return {run_error(error.what()), {}};
  }
}

}  // namespace

std::unique_ptr<ReferenceFunction> load_reference(const ReferenceRequest& request,
                                                  const ReferenceLoadOptions& options) {
  if (request.evaluator == Evaluator::python) {
    if (!is_python()) throw Unsupported{"this process is no Python"};
    return load_reference_in_python(request, options);
  }
  auto compiled =
      compile_reference(request.reference, request.inputs, called_function(request.kind));
  if (const auto* error = std::get_if<CompileError>(&compiled))
    throw Unsupported{error->message(), error->line};
  return std::get<std::unique_ptr<ReferenceFunction>>(std::move(compiled));
}

ExecuteResult execute(const ReferenceRequest& request, Fd inputs) {
  WatchedCall watched;
  ExecuteResult result = run_or_say_why(request, std::move(inputs), watched);
  result.reply.watched = std::move(watched);
  if (request.kind == ReferenceRequest::Kind::check)
    result.reply = judged_by_assertion(std::move(result.reply));
  return result;
}

void warm_up() {
  at::set_num_threads(1);
  // References are run a few times, on one set of shapes: profiling and fusing never pay off, and
  // unrewritten code rounds as eager PyTorch rounds.
  torch::jit::getProfilingMode() = false;
  torch::jit::setGraphExecutorOptimize(false);
  const at::NoGradGuard no_grad;
  settle_vector_math();
  const at::Tensor x = at::ones({8, 8});
  for (const auto dtype : {at::kFloat, at::kBFloat16}) {
    const at::Tensor y = x.to(dtype);
    at::softmax(at::matmul(y, y) + y, -1).sum().item();
  }
  if (is_python()) return;
  auto compiled = compile_reference("import torch\ndef run(x):\n    return x + x.shape[0]\n",
                                    {ReferenceArgument{}});
  std::get<std::unique_ptr<ReferenceFunction>>(compiled)->call({x});
}

std::string libtorch_version() { return TORCH_VERSION; }

std::filesystem::path libtorch_folder() {
  Dl_info library{};
  if (::dladdr(reinterpret_cast<void*>(&at::get_num_threads), &library) == 0) return {};
  return std::filesystem::path(library.dli_fname).parent_path();
}

}  // namespace kbench
