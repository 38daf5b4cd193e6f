// SPDX-License-Identifier: Apache-2.0
// Check of a kernel's contract that calls it again, and from several threads.
#ifndef KBENCH_CONTRACT_THREADS_H_
#define KBENCH_CONTRACT_THREADS_H_

#include <atomic>
#include <chrono>
#include <thread>

#include "kbench_own_call.h"

namespace kbench::kernels {

// C10: the same inputs give the same bytes, once more and beside threads with other inputs.
class RepeatCall {
 public:
  template <typename Kernel>
  static void run(const char* op, Tensors tensors, const Kernel& kernel) {
    PlainCall::run(op, tensors, kernel);
    OwnCall again(op, tensors);
    if (again.call(kernel, "it is called again") != Error::Ok ||
        !same_outputs(again, tensors.all, tensors))
      refuse("%s: the same call again gives another result", op);
    std::vector<Lane> lanes;
    for (size_t i = 0; i < threads; ++i) lanes.push_back(lane(op, tensors, kernel, i));
    call_beside(op, tensors, kernel, lanes);
  }

 private:
  static constexpr size_t threads = 3;
  static constexpr std::chrono::milliseconds duration{8};  // a few turns where cores are few

  // Call of one thread, its outputs when alone, and what went wrong.
  struct Lane {
    OwnCall call;
    OwnCall wanted;
    std::string problem;
  };

  static bool same_outputs(const OwnCall& call, const TensorImpl* wanted, const Tensors& tensors) {
    for (size_t i = tensors.inputs; i < tensors.count; ++i) {
      if (!same_bytes(call[i], wanted[i])) return false;
    }
    return true;
  }

  // Rotates numbers with fractions by a few elements: others, of the same kind.
  static void turn_inputs(OwnCall& call, const Tensors& tensors, size_t by) {
    for (size_t i = 0; i < tensors.inputs; ++i) {
      TensorImpl& input = call[i];
      const auto n = static_cast<size_t>(input.numel());
      if (n == 0 || !is_floating(input.type)) continue;
      char* const data = static_cast<char*>(input.data);
      const size_t width = element_size(input.type);
      std::rotate(data, data + by % n * width, data + n * width);
    }
  }

  template <typename Kernel>
  static Lane lane(const char* op, const Tensors& tensors, const Kernel& kernel, size_t number) {
    Lane lane{{op, tensors}, {op, tensors}, ""};
    turn_inputs(lane.call, tensors, number);
    turn_inputs(lane.wanted, tensors, number);
    if (lane.wanted.call(kernel, "it is called again") != Error::Ok)
      refuse("%s refuses other inputs of the same sizes", op);
    return lane;
  }

  template <typename Kernel>
  static void call_beside(const char* op, const Tensors& tensors, const Kernel& kernel,
                          std::vector<Lane>& lanes) {
    std::atomic<size_t> waiting{lanes.size()};
    const auto repeat = [&](Lane& lane) {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      const auto end = std::chrono::steady_clock::now() + duration;
      do {
        try {
          const Error error = lane.call.call_again(kernel);
          if (error != Error::Ok || !same_outputs(lane.call, lane.wanted.impls().data(), tensors))
            lane.problem =
                std::string(op) + ": a call beside another thread's gives another result";
        } catch (...) {
          lane.problem = std::string(op) + " throws where several threads call it";
        }
      } while (lane.problem.empty() && std::chrono::steady_clock::now() < end);
    };
    std::vector<std::thread> others;
    for (size_t i = 1; i < lanes.size(); ++i) others.emplace_back(repeat, std::ref(lanes[i]));
    repeat(lanes[0]);
    for (std::thread& other : others) other.join();
    for (const Lane& one : lanes) {
      if (!one.problem.empty()) refuse("%s", one.problem.c_str());
    }
  }
};

}  // namespace kbench::kernels

#endif  // KBENCH_CONTRACT_THREADS_H_
