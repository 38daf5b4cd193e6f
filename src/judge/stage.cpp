#include "judge/stage.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "judge/judgement.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr double ns_per_us = 1000;

std::string line_of(const Json& event) {
  return event.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A stage that cannot be told is no reason to end a judgement, and a destructor may not throw.
template <class Tell>
void try_to(Tell tell) {
  try {
    tell();
  } catch (...) {
    return;
  }
}

}  // namespace

StageSpan::StageSpan(const StageEvents& events, Stage stage)
    : events_(events), stage_(std::move(stage)), begin_ns_(judges_clock_ns()) {
  try_to([this] {
    if (events_.begun) events_.begun(stage_);
  });
}

StageSpan::~StageSpan() {
  try_to([this] {
    if (events_.over) events_.over(stage_, begin_ns_, judges_clock_ns());
  });
}

std::string trace_event(const Stage& stage, const StagePlace& place) {
  Json args = Json::object();
  const std::pair<const char*, const std::string&> words[] = {{"label", stage.label},
                                                              {"definition", stage.definition},
                                                              {"workload", stage.workload},
                                                              {"solution", stage.solution}};
  for (const auto& [key, text] : words) {
    if (!text.empty()) args[key] = text;
  }
  const std::string& of = stage.solution.empty() ? stage.definition : stage.solution;
  return line_of({{"name", of.empty() ? stage.name : stage.name + " " + of},
                  {"cat", stage.name},
                  {"ph", "X"},
                  {"ts", place.begin_ns / ns_per_us},
                  {"dur", (place.end_ns - place.begin_ns) / ns_per_us},
                  {"pid", place.process},
                  {"tid", place.thread},
                  {"args", args}});
}

std::string process_event(std::string_view name, int process) {
  return line_of({{"name", "process_name"},
                  {"ph", "M"},
                  {"pid", process},
                  {"args", {{"name", std::string(name)}}}});
}

}  // namespace kbench
