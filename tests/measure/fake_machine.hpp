// A machine whose clock is moved by the calls alone, and candidates on it.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "measure/sampling.hpp"

namespace kbench {

struct FakeMachine {
  double now_ns = 0;
  double clock_read_ns = 20;
  double null_ns = 5;
  double control_ns = 10'000;
  std::vector<Epochs> asked;

  Clock clock() {
    return [this] { return now_ns; };
  }

  // Returns a candidate that asks `call_ns` for each call's time; nothing: the call fails.
  RunEpochs candidate(std::function<std::optional<double>()> call_ns) {
    return [this, call_ns](const Epochs& epochs) -> std::optional<std::vector<double>> {
      asked.push_back(epochs);
      std::vector<double> samples;
      for (std::uint32_t s = 0; s < epochs.samples; ++s) {
        for (std::uint32_t i = 0; i < epochs.warmups; ++i) {
          const auto ns = call_ns();
          if (!ns) return std::nullopt;
          now_ns += *ns;
        }
        double sample = clock_read_ns;
        for (std::uint64_t i = 0; i < epochs.calls; ++i) {
          std::optional<double> ns = 0;
          if (epochs.kind == CallKind::candidate) ns = call_ns();
          if (epochs.kind == CallKind::control) ns = control_ns - null_ns;
          if (!ns) return std::nullopt;
          sample += null_ns + *ns;
        }
        now_ns += sample;
        samples.push_back(sample);
      }
      return samples;
    };
  }

  std::size_t epochs_of(CallKind kind) const {
    std::size_t count = 0;
    for (const Epochs& epochs : asked) count += epochs.kind == kind ? epochs.samples : 0;
    return count;
  }
};

}  // namespace kbench
