#include "reference/evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/digest.hpp"
#include "base/python.hpp"
#include "base/system.hpp"
#include "reference/request_tensors.hpp"

namespace kbench {
namespace {

using Seconds = Service::Seconds;

// Time beyond the request's own limit, which kbench-torch watches over itself.
constexpr Seconds grace{30};

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
  answer.call_ns = reply.call_ns;
  answer.written = std::move(reply.written);
  answer.memory = std::move(memory);
  answer.watched = std::move(reply.watched);
  answer.outputs = output_views(reply, answer.memory);
  return answer;
}

SharedMemory memory_of(Message& message) {
  if (message.fds.empty()) return {};
  return SharedMemory::map_read_only(std::move(message.fds.front()));
}

// Python runs what LibTorch does not compile; and where LibTorch fails, Python has the last word.
bool python_may_do_better(ReferenceOutcome outcome) {
  return outcome == ReferenceOutcome::unsupported || outcome == ReferenceOutcome::failed;
}

// Joins two refusals: LibTorch's, and the reason why there is no Python.
ReferenceAnswer without_python(ReferenceAnswer libtorch, const ReferenceAnswer& python) {
  if (libtorch.outcome == ReferenceOutcome::unsupported)
    libtorch.message += "; and Python cannot run it: " + python.message;
  return libtorch;
}

}  // namespace

struct ReferenceEvaluator::State {
  State(const std::filesystem::path& program, const std::atomic<bool>& stop,
        ReferenceLimits its_limits, int its_threads, AnswerStore its_store)
      : python_forks(std::make_shared<Service>(torch_command(program, Evaluator::python), stop,
                                               libtorch_environment)),
        libtorch(torch_command(program, Evaluator::libtorch), stop, libtorch_environment),
        python(python_forks, "", stop),
        limits(its_limits),
        threads(its_threads),
        store(std::move(its_store)) {}

  std::mutex asking;  // one request at a time: solutions on several GPUs are checked at once
  std::shared_ptr<Service> python_forks;
  Service libtorch, python;
  ReferenceLimits limits;
  int threads;
  AnswerStore store;
  std::string version;   // version of LibTorch; "" until it is known
  std::string identity;  // evaluator_identity(), when answers are kept

  Service& service_of(Evaluator evaluator) {
    return evaluator == Evaluator::python ? python : libtorch;
  }

  void await_start(Evaluator evaluator) {
    const std::string& hello = service_of(evaluator).greeting(Seconds(limits.start_seconds));
    version = decode_reference_reply(hello).message;
  }

  // Returns a refusal where Python does not start; throws if Python alone is asked for.
  std::optional<Message> why_no_python(Evaluator evaluator) try {
    if (evaluator == Evaluator::python) await_start(evaluator);
    return std::nullopt;
  } catch (const ServiceFailure& failure) {
    if (limits.evaluator == EvaluatorChoice::python) throw;
    ReferenceReply reply;
    reply.outcome = ReferenceOutcome::unsupported;
    reply.message = failure.what();
    return Message{encode(reply), {}};
  }

  // Asks kbench-torch, which is started again once when it is gone.
  Message ask(ReferenceRequest request, std::span<const int> fds = {}) {
    request.seconds = limits.seconds;
    // Limit of its own, so that the kernel's killer, which may take anybody, does not end it.
    request.bytes = std::min(limits.bytes, available_memory() / 10 * 9);
    request.threads = threads;
    const std::string text = encode(request);
    const std::lock_guard lock(asking);
    if (auto refusal = why_no_python(request.evaluator)) return std::move(*refusal);
    for (int attempt = 0; attempt < 2; ++attempt) {
      await_start(request.evaluator);
      Service& service = service_of(request.evaluator);
      if (auto message = service.ask(text, fds, Seconds(limits.seconds) + grace))
        return std::move(*message);
    }
    throw ServiceFailure("kbench-torch ended twice without an answer");
  }

  // Keeps a good answer under `key`; "": nowhere.
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
    const bool is_refused_draft =
        request.effort.is_draft && libtorch.outcome == ReferenceOutcome::failed;
    const bool is_final = choice == EvaluatorChoice::libtorch || is_refused_draft ||
                          request.kind != ReferenceRequest::Kind::run;
    if (is_final || !python_may_do_better(libtorch.outcome)) return libtorch;
    ReferenceAnswer python = ask(request, Evaluator::python, fds, key);
    if (python.outcome != ReferenceOutcome::unsupported) return python;
    return without_python(std::move(libtorch), python);
  }

  // Returns "" when nothing is kept.
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
    std::string said;  // bytes of `text` as sent
  };

  Reply ask_once(const ReferenceRequest& request, std::span<const int> fds) {
    Message message = ask(request, fds);
    return {decode_reference_reply(message.text), memory_of(message), request.evaluator,
            std::move(message.text)};
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

  static ReferenceRequest exact_request(ReferenceRequest request, const ExactEffort& effort,
                                        Evaluator evaluator) {
    request.arithmetic = Arithmetic::exact;
    request.evaluator = evaluator;
    request.exact = effort;
    return request;
  }

  // Returns nothing when there is none, or one of another kbench.
  std::optional<ExactAnswer> kept_exact(const std::string& key) const {
    auto kept = key.empty() ? std::nullopt : find_answer(*store.cache, key);
    if (!kept) return std::nullopt;
    try {
      return exact_answer(decode_reference_reply(kept->said.reply), std::move(kept->memory));
    } catch (const std::runtime_error&) {
      return std::nullopt;
    }
  }

  // Asks the evaluator of the native answer; where LibTorch has no double one, Python may have.
  void add_exact(ReferenceAnswer& answer, const ReferenceRequest& request, const Inputs& inputs,
                 std::span<const int> fds) {
    const std::string at = key(request, inputs);
    answer.exact = kept_exact(at);
    if (answer.exact) return;
    Reply reply = ask_both(request, fds);
    if (reply.text.outcome != ReferenceOutcome::ok) {
      answer.exact_absent = reply.text.message;
      answer.has_exact_died = reply.text.outcome == ReferenceOutcome::died;
      return;
    }
    if (!at.empty())
      keep_answer(*store.cache, at, {version, reply.evaluator, reply.said}, reply.memory);
    answer.exact = exact_answer(reply.text, std::move(reply.memory));
    if (answer.exact->outputs.size() != answer.outputs.size())
      throw ServiceFailure("kbench-torch sent another number of exact outputs");
  }

  Evaluator first_evaluator() const {
    return limits.evaluator == EvaluatorChoice::python ? Evaluator::python : Evaluator::libtorch;
  }

  CheckAnswer check(ReferenceRequest request, std::span<const int> fds) {
    request.evaluator = first_evaluator();
    ReferenceReply reply = ask_once(request, fds).text;
    if (limits.evaluator == EvaluatorChoice::automatic && python_may_do_better(reply.outcome)) {
      request.evaluator = Evaluator::python;
      ReferenceReply python = ask_once(request, fds).text;
      if (python.outcome != ReferenceOutcome::unsupported) reply = std::move(python);
    }
    return {reply.outcome, std::move(reply.message), reply.line, std::move(reply.refusal),
            reply.residual};
  }

  GradientAnswer gradient(ReferenceRequest request, std::span<const int> fds) {
    request.evaluator = first_evaluator();
    Reply reply = ask_both(std::move(request), fds);
    return to_gradient(std::move(reply.text), std::move(reply.memory), reply.evaluator);
  }
};

ReferenceEvaluator::ReferenceEvaluator(const std::filesystem::path& kbench_torch,
                                       ReferenceLimits limits, int threads,
                                       const std::atomic<bool>& stop, AnswerStore store)
    : state_(new State(kbench_torch, stop, limits, threads, std::move(store))) {
  if (state_->store.cache != nullptr)
    state_->identity = evaluator_identity(kbench_torch, state_->store.is_shared);
}

ReferenceEvaluator::~ReferenceEvaluator() = default;

void ReferenceEvaluator::start() { state_->service_of(state_->first_evaluator()).start(); }

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
    request = State::exact_request(std::move(request), exact, answer.evaluator);
    state_->add_exact(answer, request, inputs, fds);
  }
  return answer;
}

GradientAnswer ReferenceEvaluator::gradient(const Definition& definition, const Problem& problem,
                                            const Inputs& inputs,
                                            std::span<const NamedTensor> cotangents,
                                            const GradientWish& wish) {
  ReferenceRequest request = run_request(definition, problem, inputs, {});
  request.exact = wish.effort;
  request.kind = ReferenceRequest::Kind::gradient;
  request.arithmetic = wish.arithmetic;
  const SharedMemory memory = with_cotangents(inputs, cotangents, request);
  const int fd = memory.fd();
  return state_->gradient(std::move(request), std::span(&fd, 1));
}

bool ReferenceEvaluator::keeps(const Definition& definition, const Problem& problem,
                               const Inputs& inputs, const ReferenceEffort& effort,
                               const ExactEffort& exact) const {
  ReferenceRequest request = run_request(definition, problem, inputs, effort);
  const auto answer = state_->kept_answer(state_->key(request, inputs));
  if (!answer || !exact.wanted) return answer.has_value();
  request = State::exact_request(std::move(request), exact, answer->evaluator);
  return state_->kept_exact(state_->key(request, inputs)).has_value();
}

CheckAnswer ReferenceEvaluator::check(const Definition& definition,
                                      std::span<const CheckArgument> arguments) {
  ReferenceRequest request;
  request.kind = ReferenceRequest::Kind::check;
  request.reference = definition.reference;
  const SharedMemory memory = with_check_arguments(arguments, request);
  const int fd = memory.fd();
  return state_->check(std::move(request), std::span(&fd, 1));
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
  State& s = *state_;
  if (!s.version.empty()) return s.version;
  Cache* const cache = s.store.cache;
  const Evaluator evaluator = s.first_evaluator();
  const std::string asked = fmt::format("version of {} {}", evaluator_name(evaluator), s.identity);
  const std::string key = cache != nullptr ? sha256_hex(asked) : "";
  const auto kept = cache != nullptr ? cache->find(key) : std::nullopt;
  if (kept) return s.version = kept->text;
  s.await_start(evaluator);
  if (cache != nullptr) cache->insert(key, s.version, "");
  return s.version;
}

namespace {

constexpr std::pair<std::string_view, EvaluatorChoice> choices[] = {
    {"auto", EvaluatorChoice::automatic},
    {"libtorch", EvaluatorChoice::libtorch},
    {"python", EvaluatorChoice::python},
};

}  // namespace

std::optional<EvaluatorChoice> find_choice(std::string_view name) {
  for (const auto& [known, choice] : choices)
    if (known == name) return choice;
  return std::nullopt;
}

std::shared_ptr<Service> ReferenceEvaluator::python_forks() { return state_->python_forks; }

}  // namespace kbench
