// The searches of src/tune by themselves, for bench/tune/space and bench/tune/replay:
//   tune_bench space FILE                       {"parameters": {name: [values]}, "restrictions":
//   [texts]} tune_bench replay FILE STRATEGY SEEDS AT…   a recorded search; AT: numbers of
//   evaluations
// One line of JSON comes out.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "tune/make_space.hpp"
#include "tune/recorded_space.hpp"
#include "tune/search.hpp"

namespace {

using namespace kbench;
using Json = nlohmann::ordered_json;

std::string text_of(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error(std::string(path) + " cannot be read");
  return text.str();
}

template <class Work>
double seconds(Work&& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

Json space(const char* path) {
  const Json spec = Json::parse(text_of(path));
  std::vector<SpaceParameter> parameters;
  for (const auto& [name, values] : spec["parameters"].items()) {
    parameters.push_back({name, {}});
    for (const auto& value : values) parameters.back().values.push_back(value.get<std::int64_t>());
  }
  const auto restrictions = spec["restrictions"].get<std::vector<std::string>>();
  Json times = Json::array();
  std::uint32_t size = 0;
  for (int i = 0; i < 7; ++i) {
    times.push_back(seconds([&] {
      const auto made = make_space(parameters, restrictions, {});
      if (const auto* flaw = std::get_if<SpaceFlaw>(&made)) throw std::runtime_error(flaw->message);
      size = std::get<Space>(made).size();
    }));
  }
  return {{"configurations", size}, {"seconds", times}};
}

struct Replay {
  const RecordedSpace& record;
  const Strategy& strategy;
  std::vector<std::size_t> at;

  // Returns the optimum's part of the best cost at each of `at`; 0 where nothing was found.
  std::vector<double> fractions(std::uint64_t seed, double optimum) const {
    SearchOptions options;
    options.seed = seed;
    options.evaluations = at.back();
    const SearchResult result = run_search(record.space, replay(record), strategy, options);
    std::vector<double> found;
    for (const std::size_t n : at) {
      const auto& step = result.steps[std::min(n, result.steps.size()) - 1];
      found.push_back(step.best_cost ? optimum / *step.best_cost : 0);
    }
    return found;
  }

  // Returns evaluations a second of whole searches, or of `evaluations` each.
  double pace(std::size_t evaluations) const {
    std::size_t done = 0;
    std::uint64_t seed = 0;
    const double taken = seconds([&] {
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(300)) {
        SearchOptions options;
        options.seed = ++seed;
        options.evaluations = evaluations;
        done += run_search(record.space, replay(record), strategy, options).steps.size();
      }
    });
    return static_cast<double>(done) / taken;
  }
};

Json replayed(int count, char** words) {
  const RecordedSpace record = recorded_space(Json::parse(text_of(words[0])));
  const Strategy* const strategy = find_strategy(words[1]);
  if (strategy == nullptr) throw std::runtime_error("there is no such strategy");
  Replay replay{record, *strategy, {}};
  for (int i = 3; i < count; ++i) replay.at.push_back(std::stoul(words[i]));
  double optimum = std::numeric_limits<double>::infinity();
  for (const auto& value : record.times) optimum = std::min(optimum, value.value_or(optimum));
  const auto seeds = std::stoul(words[2]);
  Json fractions = Json::array();
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    fractions.push_back(replay.fractions(seed, optimum));
  return {{"configurations", record.space.size()},
          {"optimum", optimum},
          {"whole_per_s", replay.pace(std::numeric_limits<std::size_t>::max())},
          {"part_per_s", replay.pace(replay.at.back())},
          {"fractions", fractions}};
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 2 ? argv[1] : "";
    if (what == "space") {
      std::cout << space(argv[2]) << '\n';
    } else if (what == "replay" && argc > 5) {
      std::cout << replayed(argc - 2, argv + 2) << '\n';
    } else {
      std::cerr << "usage: tune_bench space FILE | replay FILE STRATEGY SEEDS AT...\n";
      return 2;
    }
  } catch (const std::exception& error) {
    std::cerr << "tune_bench: " << error.what() << '\n';
    return 1;
  }
}
