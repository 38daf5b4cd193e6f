#include "reference/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/channel.hpp"
#include "base/memory.hpp"
#include "sandbox/process.hpp"

namespace kbench {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// Beyond the request's own limit, which kbench-torch watches over itself.
constexpr Seconds grace{30};
constexpr Seconds slice{0.05};  // how soon a stop is noticed

ReferenceArgument argument(const BoundInput& input) {
  ReferenceArgument out;
  out.name = input.name;
  out.dtype = input.tensor.dtype;
  out.is_scalar = input.scalar.has_value();
  if (input.scalar) {
    out.scalar = *input.scalar;
  } else {
    out.shape = input.tensor.shape;
    out.offset = input.offset;
    out.bytes = input.tensor.bytes;
  }
  return out;
}

ReferenceRequest run_request(const Definition& definition, const Problem& problem,
                             const Inputs& inputs, const ReferenceEffort& effort) {
  ReferenceRequest request;
  request.reference = definition.reference;
  for (const BoundInput& input : inputs.values) request.inputs.push_back(argument(input));
  for (const TensorPlan& output : problem.outputs)
    request.outputs.push_back({output.name, output.dtype});
  request.effort = effort;
  return request;
}

ReferenceAnswer to_answer(std::string_view text, SharedMemory memory, Evaluator evaluator) {
  ReferenceReply reply = decode_reference_reply(text);
  ReferenceAnswer answer;
  answer.evaluator = evaluator;
  answer.outcome = reply.outcome;
  answer.message = std::move(reply.message);
  answer.line = reply.line;
  answer.samples_ns = std::move(reply.samples_ns);
  answer.written = std::move(reply.written);
  answer.memory = std::move(memory);
  answer.flops = reply.flops;
  answer.outputs = output_views(reply, answer.memory);
  return answer;
}

SharedMemory memory_of(Message& message) {
  if (message.fds.empty()) return {};
  return SharedMemory::map_read_only(std::move(message.fds.front()));
}

// What LibTorch does not compile, Python runs; and where LibTorch fails, Python has the last word.
bool python_may_do_better(ReferenceOutcome outcome) {
  return outcome == ReferenceOutcome::unsupported || outcome == ReferenceOutcome::failed;
}

// Two refusals as one: what LibTorch does not take, and why there is no Python.
ReferenceAnswer without_python(ReferenceAnswer libtorch, const ReferenceAnswer& python) {
  if (libtorch.outcome == ReferenceOutcome::unsupported) {
    libtorch.message += "; and Python cannot run it: " + python.message;
  }
  return libtorch;
}

}  // namespace

struct ReferenceEvaluator::State {
  std::filesystem::path program;
  ReferenceLimits limits;
  int threads;
  const std::atomic<bool>& stop;
  Fd socket;
  std::optional<ChildProcess> process;
  AnswerStore store;
  bool is_ready = false;  // kbench-torch has said so
  std::string version;    // of LibTorch; "" until it is known
  std::string identity;   // of kbench-torch, when answers are kept

  void start() {
    process.reset();
    is_ready = false;
    auto [ours, theirs] = make_channel();
    ProcessPlan plan;
    plan.argv = {program.string()};
    // As the workers (see exec); and numpy starts no threads, which a fork would not have.
    plan.environment = {"LC_ALL=C.UTF-8", "GOMP_SPINCOUNT=2000", "OPENBLAS_NUM_THREADS=1"};
    plan.fds = {theirs.get()};
    try {
      process.emplace(plan);
    } catch (const std::system_error& error) {
      throw EvaluatorFailure(fmt::format("{} does not start: {}", program.string(), error.what()));
    }
    socket = std::move(ours);
  }

  // Nothing when kbench-torch is gone.
  std::optional<Message> receive(Seconds limit) {
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
    while (
        !wait_readable(socket.get(), std::chrono::duration_cast<std::chrono::nanoseconds>(slice))) {
      if (stop) {
        process.reset();
        throw Interrupted();
      }
      if (Clock::now() < deadline) continue;
      process.reset();
      throw EvaluatorFailure(
          fmt::format("{} has not answered for {:g} s", program.string(), limit.count()));
    }
    return receive_message(socket.get(), std::chrono::seconds(10));
  }

  // Waits until kbench-torch is ready.
  void await_start() {
    if (!process) start();
    if (is_ready) return;
    if (const auto hello = receive(Seconds(limits.start_seconds))) {
      is_ready = true;
      version = decode_reference_reply(hello->text).message;
      return;
    }
    const auto status = process->wait(std::chrono::seconds(1));
    process.reset();
    throw EvaluatorFailure(fmt::format("{} does not start: it {}", program.string(),
                                       status ? describe(*status) : "closed its channel"));
  }

  std::optional<Message> try_ask(const std::string& request, std::span<const int> fds) {
    await_start();
    try {
      send_message(socket.get(), request, fds);
    } catch (const std::system_error&) {
      return std::nullopt;
    }
    return receive(Seconds(limits.seconds) + grace);
  }

  // kbench-torch is started again once when it is gone.
  Message ask(ReferenceRequest request, std::span<const int> fds = {}) {
    request.seconds = limits.seconds;
    // So that it ends at a limit of its own and not by the kernel's killer, which may take anybody.
    request.bytes = std::min(limits.bytes, available_memory() / 10 * 9);
    request.threads = threads;
    const std::string text = encode(request);
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (auto message = try_ask(text, fds)) return std::move(*message);
      process.reset();
    }
    throw EvaluatorFailure(program.string() + " ended twice without an answer");
  }

  // `key` is where a good answer is kept, "" for nowhere.
  ReferenceAnswer ask(ReferenceRequest request, Evaluator evaluator, std::span<const int> fds,
                      const std::string& key) {
    request.evaluator = evaluator;
    Message message = ask(std::move(request), fds);
    ReferenceAnswer answer = to_answer(message.text, memory_of(message), evaluator);
    if (answer.outcome == ReferenceOutcome::ok && !key.empty())
      keep_answer(*store.cache, key, {version, evaluator, message.text}, answer.memory);
    return answer;
  }

  ReferenceAnswer answer(const ReferenceRequest& request, std::span<const int> fds,
                         const std::string& key = "") {
    const EvaluatorChoice choice = limits.evaluator;
    if (choice == EvaluatorChoice::python) return ask(request, Evaluator::python, fds, key);
    ReferenceAnswer libtorch = ask(request, Evaluator::libtorch, fds, key);
    const bool is_final =
        choice == EvaluatorChoice::libtorch || request.kind != ReferenceRequest::Kind::run;
    if (is_final || !python_may_do_better(libtorch.outcome)) return libtorch;
    ReferenceAnswer python = ask(request, Evaluator::python, fds, key);
    if (python.outcome != ReferenceOutcome::unsupported) return python;
    return without_python(std::move(libtorch), python);
  }

  // "" when nothing is kept.
  std::string key(ReferenceRequest request, const Inputs& inputs) const {
    if (store.cache == nullptr) return "";
    request.threads = threads;
    const std::string asked =
        fmt::format("{}; asked {}", identity, static_cast<int>(limits.evaluator));
    return answer_key(std::move(request), inputs, asked, store.machine);
  }

  std::optional<ReferenceAnswer> kept_answer(const std::string& key) {
    auto kept = key.empty() ? std::nullopt : find_answer(*store.cache, key);
    if (!kept) return std::nullopt;
    try {
      ReferenceAnswer answer =
          to_answer(kept->said.reply, std::move(kept->memory), kept->said.evaluator);
      answer.is_kept = true;
      version = kept->said.torch_version;
      return answer;
    } catch (const std::runtime_error&) {  // another kbench's: as good as none
      return std::nullopt;
    }
  }

  struct Reply {
    ReferenceReply text;
    SharedMemory memory;
    Evaluator evaluator = Evaluator::libtorch;
  };

  Reply ask_once(const ReferenceRequest& request, std::span<const int> fds) {
    Message message = ask(request, fds);
    return {decode_reference_reply(message.text), memory_of(message), request.evaluator};
  }

  // Asks request.evaluator, and Python where LibTorch fails and Python does not.
  Reply ask_both(ReferenceRequest request, std::span<const int> fds) {
    Reply reply = ask_once(request, fds);
    const bool is_final = limits.evaluator != EvaluatorChoice::automatic ||
                          request.evaluator == Evaluator::python ||
                          !python_may_do_better(reply.text.outcome);
    if (is_final) return reply;
    request.evaluator = Evaluator::python;
    Reply python = ask_once(request, fds);
    return python.text.outcome == ReferenceOutcome::ok ? std::move(python) : std::move(reply);
  }

  // Asks who gave the native answer; where LibTorch has no double one, Python may have.
  void add_exact(ReferenceAnswer& answer, ReferenceRequest request, std::span<const int> fds) {
    request.arithmetic = Arithmetic::exact;
    request.evaluator = answer.evaluator;
    Reply reply = ask_both(std::move(request), fds);
    if (reply.text.outcome != ReferenceOutcome::ok) {
      answer.exact_absent = reply.text.message;
      return;
    }
    answer.exact = exact_answer(reply.text, std::move(reply.memory));
    if (answer.exact->outputs.size() != answer.outputs.size()) {
      throw EvaluatorFailure("kbench-torch sent another number of exact outputs");
    }
  }

  GradientAnswer gradient(ReferenceRequest request, std::span<const int> fds) {
    const bool is_python = limits.evaluator == EvaluatorChoice::python;
    request.evaluator = is_python ? Evaluator::python : Evaluator::libtorch;
    Reply reply = ask_both(std::move(request), fds);
    return to_gradient(std::move(reply.text), std::move(reply.memory), reply.evaluator);
  }
};

ReferenceEvaluator::ReferenceEvaluator(const std::filesystem::path& kbench_torch,
                                       ReferenceLimits limits, int threads,
                                       const std::atomic<bool>& stop, AnswerStore store)
    : state_(new State{kbench_torch, limits, threads, stop, {}, {}, std::move(store)}) {
  if (state_->store.cache != nullptr) state_->identity = evaluator_identity(kbench_torch);
}

ReferenceEvaluator::~ReferenceEvaluator() = default;

void ReferenceEvaluator::start() {
  if (!state_->process) state_->start();
}

ReferenceAnswer ReferenceEvaluator::evaluate(const Definition& definition, const Problem& problem,
                                             const Inputs& inputs, const ReferenceEffort& effort,
                                             const ExactEffort& exact) {
  ReferenceRequest request = run_request(definition, problem, inputs, effort);
  const std::string key = state_->key(request, inputs);
  const int fd = inputs.memory.fd();
  const auto fds = fd >= 0 ? std::span(&fd, 1) : std::span<const int>();
  auto kept = state_->kept_answer(key);
  ReferenceAnswer answer = kept ? std::move(*kept) : state_->answer(request, fds, key);
  if (exact.wanted && answer.outcome == ReferenceOutcome::ok) {
    request.exact = exact;
    state_->add_exact(answer, std::move(request), fds);
  }
  return answer;
}

GradientAnswer ReferenceEvaluator::gradient(const Definition& definition, const Problem& problem,
                                            const Inputs& inputs,
                                            std::span<const NamedTensor> cotangents,
                                            Arithmetic arithmetic) {
  ReferenceRequest request = run_request(definition, problem, inputs, {});
  request.kind = ReferenceRequest::Kind::gradient;
  request.arithmetic = arithmetic;
  const SharedMemory memory = with_cotangents(inputs, cotangents, request);
  const int fd = memory.fd();
  return state_->gradient(std::move(request), std::span(&fd, 1));
}

bool ReferenceEvaluator::keeps(const Definition& definition, const Problem& problem,
                               const Inputs& inputs, const ReferenceEffort& effort) const {
  return state_->kept_answer(state_->key(run_request(definition, problem, inputs, effort), inputs))
      .has_value();
}

ReferenceAnswer ReferenceEvaluator::compile(const Definition& definition) {
  ReferenceRequest request;
  request.kind = ReferenceRequest::Kind::compile;
  request.reference = definition.reference;
  for (const auto& [name, spec] : definition.inputs) {
    ReferenceArgument& input = request.inputs.emplace_back();
    input.name = name;
    input.dtype = spec.dtype;
    input.is_scalar = !spec.shape.has_value();
  }
  return state_->answer(request, {});
}

std::string ReferenceEvaluator::torch_version() {
  if (state_->version.empty()) state_->await_start();
  return state_->version;
}

}  // namespace kbench
