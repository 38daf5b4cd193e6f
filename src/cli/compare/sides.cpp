#include "cli/compare/sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "base/match.hpp"
#include "base/text.hpp"
#include "build/builder.hpp"

namespace kbench {
namespace {

using Solutions = std::vector<const Solution*>;

// Returns the solutions whose definition is there and chosen.
Solutions solutions_in(const TraceSet& set, const std::vector<std::string>& definitions,
                       Diagnostics& out) {
  std::vector<std::string> chosen;
  std::vector<std::string> known;
  for (const auto& stored : set.definitions) known.push_back(stored.record.name);
  for (const std::string& word : definitions) {
    const NameMatch match = match_name(word, known, "definition");
    if (match.name.empty()) out.error({}, match.message, match.hint);
    chosen.push_back(match.name);
  }
  Solutions solutions;
  for (const auto& stored : set.solutions) {
    const std::string& definition = stored.record.definition;
    const bool is_chosen =
        chosen.empty() || std::find(chosen.begin(), chosen.end(), definition) != chosen.end();
    if (is_chosen && set.definition(definition) != nullptr) solutions.push_back(&stored.record);
  }
  return solutions;
}

// The solutions that one word stands for, by definition.
using ByDefinition = std::map<std::string, Solutions>;

// That a word is known, but of definitions that were not chosen; "": it is not.
std::string known_elsewhere(const std::string& word, const TraceSet& set) {
  for (const auto& stored : set.solutions) {
    const Solution& solution = stored.record;
    if (solution.name == word || solution.author == word)
      return fmt::format(
          "\"{}\" has none for the definitions that --definition names, but one for {}", word,
          solution.definition);
  }
  return "";
}

// A solution, else an author, else the begin of a solution's name.
std::optional<ByDefinition> find_side(const std::string& word, const Solutions& solutions,
                                      const TraceSet& set, Diagnostics& out) {
  std::vector<std::string> names;
  for (const Solution* solution : solutions) names.push_back(solution->name);
  const NameMatch match = match_name(word, names, "solution");
  ByDefinition by_name, by_author;
  for (const Solution* solution : solutions) {
    if (solution->name == match.name) by_name[solution->definition].push_back(solution);
    if (solution->author == word) by_author[solution->definition].push_back(solution);
  }
  if (match.name != word && !by_author.empty()) return by_author;
  if (!by_name.empty()) return by_name;
  const std::string elsewhere = known_elsewhere(word, set);
  if (!elsewhere.empty()) {
    out.error({}, elsewhere);
  } else if (match.is_unknown) {
    for (const auto& stored : set.solutions) names.push_back(stored.record.author);
    out.error({}, fmt::format("\"{}\" is neither a solution nor an author", word),
              did_you_mean(word, names));
  } else {
    out.error({}, match.message, match.hint);
  }
  return std::nullopt;
}

// The one solution that a side has of a definition: that runs here, where others do not.
const Solution* only(const std::string& word, const Solutions& all, Diagnostics& out) {
  Solutions solutions;
  std::copy_if(all.begin(), all.end(), std::back_inserter(solutions), [](const Solution* one) {
    return has_nvidia_gpu() || !is_for_gpu(one->spec.language);
  });
  if (solutions.empty()) solutions = all;
  if (solutions.size() == 1) return solutions.front();
  std::vector<std::string> names;
  for (const Solution* solution : solutions) names.push_back(solution->name);
  out.error({},
            fmt::format("\"{}\" has {} solutions of {}", word, solutions.size(),
                        solutions.front()->definition),
            "name one: " + join(names, ", "));
  return nullptr;
}

void tell_of_several(const Diagnostics& several, Diagnostics& out) {
  if (several.items().empty()) return;
  const Diagnostic& first = several.items().front();
  const std::size_t more = several.items().size() - 1;
  out.warning({},
              first.message + (more > 0 ? fmt::format(", and {} more like it", more) : "") +
                  ": not compared",
              first.hint);
}

}  // namespace

std::vector<Sides> find_sides(const TraceSet& set, const std::string& a, const std::string& b,
                              const std::vector<std::string>& definitions, Diagnostics& out) {
  const std::size_t before = out.errors();
  const Solutions solutions = solutions_in(set, definitions, out);
  if (out.errors() > before) return {};
  const auto of_a = find_side(a, solutions, set, out);
  const auto of_b = find_side(b, solutions, set, out);
  if (out.errors() > before) return {};
  std::vector<Sides> sides;
  Diagnostics several;
  for (const auto& [definition, first] : *of_a) {
    const auto second = of_b->find(definition);
    if (second == of_b->end()) continue;
    const Sides both{only(a, first, several), only(b, second->second, several)};
    if (both.a != nullptr && both.b != nullptr) sides.push_back(both);
  }
  if (!sides.empty()) {
    tell_of_several(several, out);
    return sides;
  }
  out.append(std::move(several));
  if (out.errors() > before) return {};
  out.error(
      {}, fmt::format("\"{}\" and \"{}\" have no definition in common", a, b),
      fmt::format("the first has {}, the second {}", of_a->begin()->first, of_b->begin()->first));
  return {};
}

std::vector<Job> jobs_of(const std::vector<Sides>& sides, std::vector<Job> jobs) {
  std::vector<Job> out;
  for (Job& job : jobs) {
    const auto found = std::find_if(sides.begin(), sides.end(), [&](const Sides& both) {
      return both.a->definition == job.definition->name;
    });
    const auto has = [&](const Solution* solution) {
      return std::find(job.solutions.begin(), job.solutions.end(), solution) != job.solutions.end();
    };
    if (found == sides.end() || !has(found->a) || !has(found->b)) continue;
    job.solutions = {found->a, found->b};
    out.push_back(std::move(job));
  }
  return out;
}

}  // namespace kbench
