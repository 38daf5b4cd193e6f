// Workload: one set of axis values and inputs of a Definition. Trace: a Workload, and the outcome
// of a Solution's run on it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

#include "schema/containers.hpp"
#include "schema/details.hpp"
#include "schema/field.hpp"

namespace kbench {

// Number as written in JSON: integers beyond 64 bits keep their digits, and so does 1e400.
struct BigInteger {
  std::string digits;
};
using ScalarValue = std::variant<std::int64_t, double, bool, BigInteger>;

// Meaning of an input's values, where any number of its dtype would not do. To add one: an
// enumerator here, its row in names.cpp, its law in problem/data/draw.cpp, its sign in
// problem/data/value_evidence.cpp.
enum class ValueKind {
  indptr,
  page_ids,
  slot_ids,
  expert_ids,
  packed_expert_ids,
  sparse_ids,
  ids,
  batch_ids,
  positions,
  seq_lens,
  last_page_len,
  permutation,
  mask,
  fraction,
  positive,
  probs,
};

struct RandomInput {
  std::string type = "random";
  std::optional<ValueKind> kind;
  std::optional<std::int64_t> low;
  std::optional<std::int64_t> high;
  std::optional<std::int64_t> total;
  std::optional<bool> padding;
  FieldSet present{};
};

struct SafetensorsInput {
  std::string type = "safetensors";
  std::string path;        // relative to the trace set's root
  std::string tensor_key;  // name in that file
  FieldSet present{};
};

struct ScalarInput {
  std::string type = "scalar";
  ScalarValue value;
  FieldSet present{};
};

// Inputs without "type" are told by their keys: path and tensor_key, else value, else random.
using InputSpec = std::variant<RandomInput, SafetensorsInput, ScalarInput>;

struct Workload {
  OrderedMap<std::int64_t> axes;
  OrderedMap<InputSpec> inputs;
  std::string uuid;
  FieldSet present{};
};

enum class Status {
  passed,
  incorrect_shape,
  incorrect_numerical,
  incorrect_dtype,
  runtime_error,
  compile_error,
  timeout,
};

struct Correctness {
  double max_relative_error = 0;
  double max_absolute_error = 0;
  std::optional<RawJson> extra;
  FieldSet present{};
};

struct Performance {
  double latency_ms = 0;
  double reference_latency_ms = 0;
  double speedup_factor = 0;
  FieldSet present{};
};

struct Environment {
  std::string hardware;
  OrderedMap<std::string> libs;
  FieldSet present{};
};

struct Evaluation {
  Status status = Status::runtime_error;
  Environment environment;
  std::string timestamp;  // local time, ISO 8601
  std::string log;
  std::optional<Correctness> correctness;
  std::optional<Performance> performance;
  Boxed<Details> kbench;
  FieldSet present{};
  int ended_by = 0;  // signal that ended the candidate, if any; in no file
};

// Names of definition, the workload's uuid, and solution.
using PairKey = std::tuple<std::string, std::string, std::string>;

struct Trace {
  std::string definition;
  Workload workload;
  std::optional<std::string> solution;
  std::optional<Evaluation> evaluation;
  // Verdict of emulation, in files, where `evaluation` is null; a run hands it on as `evaluation`.
  Boxed<Evaluation> emulation;
  FieldSet present{};
  bool is_sealed = false;  // read from a line whose bytes have the digest that stands in it
  // Signed text: the SHA-256, hexadecimal, of the line that the signature stands in, less the
  // signature's value. "" where it has no signature, or one that is not spelled as kbench does.
  std::string signed_digest;
  // Definition, workload or solution differs from that in the set that it was read with.
  bool is_outdated = false;
};

// Returns "PASSED", "INCORRECT_SHAPE", …
std::string_view status_name(Status status);
// Returns "PASSED", or "emulated PASSED" for a solution in CUDA that no GPU has seen.
std::string status_text(const Evaluation& evaluation);
bool is_emulated(const Evaluation& evaluation);
bool is_workload_trace(const Trace& trace);
bool has_passed(const Trace& trace);
// Returns the cause of a candidate's status, "" if there is none; `trace` has an evaluation.
std::string cause_of(const Trace& trace);
bool is_skipped(const Trace& trace);  // not run: it had failed on others too often

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
      Field{"uuid", &Workload::uuid, Need::required, Rule::name, "Unique name of the workload."}};
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
      Field{"definition", &Trace::definition, Need::required, Rule::name,
            "Name of the Definition."},
      Field{"workload", &Trace::workload, Need::required, Rule::any, "Axis values and inputs."},
      Field{"solution", &Trace::solution, Need::optional, Rule::name,
            "Name of the Solution; null in a workload file."},
      Field{"evaluation", &Trace::evaluation, Need::optional, Rule::any,
            "What came of it; null in a workload file."},
      Field{"emulation", &Trace::emulation, Need::extension, Rule::any,
            "What came of it on a processor, of a solution in CUDA or Triton: docs/emulation.md."}};
}

// Words by which a command line names workloads.

// "batch=4" or "batch=4,seq_len=128", as tables name workloads.
bool is_lengths(std::string_view word);

// Whether a workload has all the lengths of such a word.
bool has_lengths(const Workload& workload, std::string_view word);

// Whether a word is the beginning of its uuid, or lengths that it has.
bool is_named_by(const Workload& workload, std::string_view word);

// Lengths of axes for people: "M=64,N=128".
std::string lengths_text(const OrderedMap<std::int64_t>& axes, std::string_view between = ",");

}  // namespace kbench
