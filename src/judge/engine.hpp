// Engines that take the samples of a solution: kbench's own loop (measure/sampling.hpp), or Google
// Benchmark in a worker that has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schema/judge_settings.hpp"

namespace kbench {

enum class Engine : std::uint8_t { kbench, google_benchmark };

constexpr std::string_view engine_name(Engine engine) {
  return engine == Engine::kbench ? "kbench" : "google-benchmark";
}

constexpr std::optional<Engine> find_engine(std::string_view name) {
  for (const Engine engine : {Engine::kbench, Engine::google_benchmark})
    if (engine_name(engine) == name) return engine;
  return std::nullopt;
}

inline Engine engine_of(const JudgeSettings& settings) {
  return find_engine(settings.engine).value_or(Engine::kbench);
}

// Limit of Google Benchmark's repetitions: what it writes of them has to find room.
constexpr std::int64_t most_repetitions = 256;

// Program beside kbench.
constexpr std::string_view gpu_worker_program = "kbench-worker-cuda";

constexpr std::string_view worker_program(Engine engine) {
  return engine == Engine::kbench ? "kbench-worker" : "kbench-worker-google-benchmark";
}

}  // namespace kbench
