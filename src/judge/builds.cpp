#include "judge/builds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

#include "base/parallel.hpp"

namespace kbench {
namespace {

struct Attempt {
  const Solution* solution = nullptr;
  BuildResult result;
  std::string broken;  // fault that is not the solution's
};

void build_one(Attempt& attempt, const Toolchain& toolchain) {
  try {
    const Builder* builder = find_builder(attempt.solution->spec.language);
    attempt.broken = unavailable(*attempt.solution, toolchain);
    if (attempt.broken.empty() && builder->language == Language::cuda)
      attempt.broken = gpu_sanitizers_unavailable(toolchain);
    if (attempt.broken.empty()) attempt.result = builder->build(*attempt.solution, toolchain);
  } catch (const std::exception& error) {
    attempt.broken = error.what();
  }
}

void build_beside_each_other(std::vector<Attempt>& attempts, const Toolchain& toolchain,
                             int parallel, const StageEvents& stages) {
  in_parallel(attempts.size(), {std::max(1, parallel)}, [&](std::size_t i) {
    const Solution& solution = *attempts[i].solution;
    const StageSpan span(stages, {"build", solution.definition, "", solution.name});
    build_one(attempts[i], toolchain);
  });
}

// Returns why none of the sanitizers that are asked for is for this solution.
std::string unsanitized(const Solution& solution, const Sanitizers& sanitizers) {
  const Language language = solution.spec.language;
  if (!sanitizers.any()) return "";
  if (runs_in_python(solution))
    return "--sanitize takes the tvm-ffi binding alone, and it runs in Python";
  if (of_language(sanitizers, language).any()) return "";
  return fmt::format("--sanitize {} has none for {}: take {}", name_of(sanitizers),
                     language == Language::cuda ? "CUDA" : "C++",
                     language == Language::cuda ? "memcheck, racecheck, initcheck or synccheck"
                                                : "address or undefined");
}

// A reason that many share is said once.
void report_reasons(Level level, const std::map<const Solution*, std::string>& solutions,
                    Diagnostics& out) {
  std::map<std::string_view, std::vector<std::string>> by_reason;
  for (const auto& [solution, reason] : solutions) by_reason[reason].push_back(solution->name);
  for (const auto& [reason, names] : by_reason) {
    const std::string others =
        names.size() == 1 ? "" : fmt::format(" and {} more are", names.size() - 1);
    out.add({level,
             {},
             fmt::format("solution \"{}\"{} not judged: {}", names.front(),
                         others.empty() ? " is" : others, reason),
             ""});
  }
}

}  // namespace

Builds build_all(const std::vector<Job>& jobs, const Toolchain& toolchain, int parallel,
                 const StageEvents& stages) {
  Builds builds;
  std::set<const Solution*> seen;
  std::vector<Attempt> attempts;
  for (const Job& job : jobs) {
    for (const Solution* solution : job.solutions) {
      if (!seen.insert(solution).second) continue;
      std::string reason = refusal(*solution, toolchain);
      if (reason.empty()) reason = unsanitized(*solution, toolchain.sanitizers);
      if (reason.empty()) {
        attempts.push_back({solution, {}, ""});
      } else {
        builds.refused[solution] = std::move(reason);
      }
    }
  }
  build_beside_each_other(attempts, toolchain, parallel, stages);
  for (Attempt& attempt : attempts) {
    const bool is_cuda = attempt.solution->spec.language == Language::cuda;
    if (is_cuda && !unavailable(*attempt.solution, toolchain).empty()) {
      builds.refused[attempt.solution] = std::move(attempt.broken);
    } else if (!attempt.result.not_emulated.empty()) {
      builds.not_emulated[attempt.solution] = std::move(attempt.result.not_emulated);
    } else if (attempt.broken.empty()) {
      builds.results[attempt.solution] = std::move(attempt.result);
    } else {
      builds.broken[attempt.solution] = std::move(attempt.broken);
    }
  }
  return builds;
}

void leave_out(Builds& builds, std::map<const Solution*, std::string>& reasons,
               const std::string& why, const std::function<bool(const Solution&)>& which) {
  std::erase_if(builds.results, [&](const auto& entry) {
    if (!which(*entry.first)) return false;
    reasons[entry.first] = "it runs in Python: " + why;
    return true;
  });
}

void refuse(Builds& builds, const Configurator* configurator) {
  std::erase_if(builds.results, [&](const auto& entry) {
    std::string why = configurator == nullptr ? "" : configurator->refusal(*entry.first);
    return !why.empty() && builds.refused.emplace(entry.first, std::move(why)).second;
  });
}

Diagnostics unbuilt(const Builds& builds) {
  Diagnostics out;
  report_reasons(Level::warning, builds.refused, out);
  report_reasons(Level::warning, builds.unrun, out);
  report_reasons(Level::warning, builds.not_emulated, out);
  report_reasons(Level::error, builds.broken, out);
  return out;
}

}  // namespace kbench
