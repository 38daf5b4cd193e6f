// Settings of a judgement, from the command line or from a record that is judged again: one record
// from the option to the trace, with its rows below it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "schema/containers.hpp"
#include "schema/field.hpp"

namespace kbench {

struct JudgeSettings {
  // Records hold the settings of their definition here, by FlashInfer-Bench's keys; without the
  // effort that kbench chose itself.
  std::optional<RawJson> config;
  std::int64_t timeout_seconds = 300;
  std::int64_t memory_bytes = std::int64_t{8} << 30;
  std::int64_t threads = 1;
  double budget_seconds = 0.03;
  std::string evaluator = "auto";
  std::string sanitize;  // "address,undefined", "memcheck"; "": none
  bool cold = false;
  bool rotate = false;
  bool lock_clocks = false;
  std::int64_t loads = 1;
  std::string engine = "kbench";
  FieldSet present{};

  // Sets what --precise asks for.
  void take_precisely() {
    budget_seconds = 0.4;
    loads = 8;
  }
};

// Rows of JudgeSettings: how records hold a setting, and which option of the command line says it.
// To add a setting: its member, its row here, and its use.

// Groups of options that commands declare together.
enum class SettingGroup {
  none,       // declared by hand by a command: its option is no plain value
  reference,  // the reference's run
  timing,     // the amount of timing, and its engine
  cold,       // options of commands that time single calls
  gpu,        // a GPU's alone
};

struct SettingOption {
  SettingGroup group = SettingGroup::none;
  std::string_view names;        // "--loads"
  std::string_view placeholder;  // "N"; "" for a flag
  std::string_view help;
  double least = 0, most = 0;      // bounds of a number; 0, 0: any above 0
  std::string_view words = "";     // accepted words, with blanks between; "": any
  std::string_view excludes = "";  // other options, with blanks between
};

template <class Member>
struct Setting {
  Field<JudgeSettings, Member> field;
  SettingOption option;
};

template <class Member>
Setting(Field<JudgeSettings, Member>, SettingOption) -> Setting<Member>;

constexpr auto judge_settings() {
  using Settings = JudgeSettings;
  return std::tuple{
      Setting{Field{"config", &Settings::config, Need::optional, Rule::any,
                    "Tolerances and effort for this definition; effort that kbench chose is left "
                    "out."},
              {}},
      Setting{Field{"timeout_seconds", &Settings::timeout_seconds, Need::required,
                    Rule::non_negative, "The limit of a call, seconds."},
              {}},
      Setting{Field{"memory_bytes", &Settings::memory_bytes, Need::required, Rule::non_negative,
                    "What a solution may allocate."},
              {}},
      Setting{Field{"threads", &Settings::threads, Need::required, Rule::positive,
                    "Threads of the solution and of the reference."},
              {}},
      Setting{Field{"budget_seconds", &Settings::budget_seconds, Need::required, Rule::non_negative,
                    "Seconds of timing."},
              {SettingGroup::timing, "--budget", "S",
               "Seconds of timing for each evaluation; default 0.03", 0, 1e6}},
      Setting{Field{"evaluator", &Settings::evaluator, Need::required, Rule::any,
                    "What was asked to run the reference: \"auto\", \"libtorch\" or \"python\"."},
              {SettingGroup::reference, "--evaluator", "E",
               "What runs the reference: libtorch, python, or auto (the default): LibTorch, and "
               "Python where that cannot",
               0, 0, "auto libtorch python"}},
      Setting{Field{"sanitize", &Settings::sanitize, Need::unusual, Rule::any,
                    "The names of --sanitize that are for the solution's language. Such a run has "
                    "no times: latencies and speed-up are 0."},
              {}},
      Setting{Field{"cold", &Settings::cold, Need::unusual, Rule::any,
                    "Whether it was timed with inputs and outputs in no cache."},
              {SettingGroup::cold, "--cold", "",
               "Time single calls with inputs and outputs in no cache", 0, 0, "", "--audit"}},
      Setting{Field{"rotate", &Settings::rotate, Need::unusual, Rule::any,
                    "Whether each timed call on a GPU had the next of several copies of inputs "
                    "and outputs."},
              {SettingGroup::gpu, "--rotate", "",
               "Give each timed call of a solution in CUDA the next of several copies of inputs "
               "and outputs, which together are twice as large as the GPU's last cache",
               0, 0, "", "--cold --audit --rank"}},
      Setting{Field{"lock_clocks", &Settings::lock_clocks, Need::unusual, Rule::any,
                    "Whether the GPU's clock was held at its base clock."},
              {SettingGroup::gpu, "--lock-clocks", "",
               "Hold the clock of each GPU at its base clock while solutions run there; needs an "
               "administrator's rights",
               0, 0, "", ""}},
      Setting{Field{"loads", &Settings::loads, Need::unusual, Rule::positive,
                    "How often it was loaded anew and timed, where more than once."},
              {SettingGroup::timing, "--loads", "N",
               "Times a solution is loaded anew and timed, each time at other addresses; default 1",
               1, 1000, "", "--audit --rank --sanitize"}},
      Setting{Field{"engine", &Settings::engine, Need::unusual, Rule::any,
                    "What took the samples, where it was not kbench: \"google-benchmark\"."},
              {SettingGroup::timing, "--engine", "E",
               "What takes the samples: kbench (the default), or google-benchmark, whose own "
               "results --format google-benchmark then writes; see docs/google-benchmark.md",
               0, 0, "kbench google-benchmark"}}};
}

constexpr auto fields(const JudgeSettings*) {
  return std::apply([](const auto&... one) { return std::tuple{one.field...}; }, judge_settings());
}

}  // namespace kbench
