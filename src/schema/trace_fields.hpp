// The tables of fields of what trace.hpp declares.
#pragma once

#include <tuple>

#include "schema/field.hpp"
#include "schema/trace.hpp"

namespace kbench {

constexpr auto fields(const RandomInput*) {
  return std::tuple{
      Field{"type", &RandomInput::type, Need::optional, Rule::any, "Always \"random\"."},
      Field{"kind", &RandomInput::kind, Need::extension, Rule::any,
            "What the values mean, where kbench does not see it by itself: docs/inputs.md."},
      Field{"low", &RandomInput::low, Need::extension, Rule::any, "Smallest value of that kind."},
      Field{"high", &RandomInput::high, Need::extension, Rule::any, "Largest value of that kind."},
      Field{"total", &RandomInput::total, Need::extension, Rule::non_negative,
            "Where an indptr ends; what seq_lens sum to."},
      Field{"padding", &RandomInput::padding, Need::extension, Rule::any,
            "Whether -1 may stand for no index."}};
}

constexpr auto fields(const SafetensorsInput*) {
  return std::tuple{
      Field{"type", &SafetensorsInput::type, Need::optional, Rule::any, "Always \"safetensors\"."},
      Field{"path", &SafetensorsInput::path, Need::required, Rule::non_empty,
            "File, relative to the trace set's root."},
      Field{"tensor_key", &SafetensorsInput::tensor_key, Need::required, Rule::non_empty,
            "Name of the tensor in that file."}};
}

constexpr auto fields(const ScalarInput*) {
  return std::tuple{
      Field{"type", &ScalarInput::type, Need::optional, Rule::any, "Always \"scalar\"."},
      Field{"value", &ScalarInput::value, Need::required, Rule::any, "The literal."}};
}

constexpr auto fields(const Workload*) {
  return std::tuple{
      Field{"axes", &Workload::axes, Need::required, Rule::non_negative,
            "Length of each var axis."},
      Field{"inputs", &Workload::inputs, Need::required, Rule::any, "Where each input comes from."},
      Field{"uuid", &Workload::uuid, Need::required, Rule::text, "Unique name of the workload."}};
}

constexpr auto fields(const Correctness*) {
  return std::tuple{
      Field{"max_relative_error", &Correctness::max_relative_error, Need::optional,
            Rule::non_negative_or_nan, "Largest |output - reference| / |reference|."},
      Field{"max_absolute_error", &Correctness::max_absolute_error, Need::optional,
            Rule::non_negative_or_nan, "Largest |output - reference|."},
      Field{"extra", &Correctness::extra, Need::optional, Rule::any, "What the rule adds."}};
}

constexpr auto fields(const Performance*) {
  return std::tuple{
      Field{"latency_ms", &Performance::latency_ms, Need::optional, Rule::non_negative,
            "Median time of a call of the solution, milliseconds."},
      Field{"reference_latency_ms", &Performance::reference_latency_ms, Need::optional,
            Rule::non_negative, "Median time of a call of the reference, milliseconds."},
      Field{"speedup_factor", &Performance::speedup_factor, Need::optional, Rule::non_negative,
            "reference_latency_ms / latency_ms."}};
}

constexpr auto fields(const Environment*) {
  return std::tuple{
      Field{"hardware", &Environment::hardware, Need::required, Rule::text,
            "Model name of the device that ran the solution."},
      Field{"libs", &Environment::libs, Need::optional, Rule::any, "Versions of what took part."}};
}

constexpr auto fields(const Evaluation*) {
  return std::tuple{
      Field{"status", &Evaluation::status, Need::required, Rule::any, "The verdict."},
      Field{"environment", &Evaluation::environment, Need::required, Rule::any, "Where it ran."},
      Field{"timestamp", &Evaluation::timestamp, Need::required, Rule::text, "When, ISO 8601."},
      Field{"log", &Evaluation::log, Need::optional, Rule::any,
            "What compiler and solution printed."},
      Field{"correctness", &Evaluation::correctness, Need::optional, Rule::any,
            "With PASSED and INCORRECT_NUMERICAL, and only with them."},
      Field{"performance", &Evaluation::performance, Need::optional, Rule::any,
            "With PASSED, and only with it."},
      Field{"kbench", &Evaluation::kbench, Need::extension, Rule::any, "How kbench came to it."}};
}

constexpr auto fields(const Trace*) {
  return std::tuple{
      Field{"definition", &Trace::definition, Need::required, Rule::text,
            "Name of the Definition."},
      Field{"workload", &Trace::workload, Need::required, Rule::any, "Axis values and inputs."},
      Field{"solution", &Trace::solution, Need::optional, Rule::any,
            "Name of the Solution; null in a workload file."},
      Field{"evaluation", &Trace::evaluation, Need::optional, Rule::any,
            "What came of it; null in a workload file."},
      Field{"emulation", &Trace::emulation, Need::extension, Rule::any,
            "What came of it on a processor, of a solution in CUDA or Triton: docs/emulation.md."}};
}

}  // namespace kbench
