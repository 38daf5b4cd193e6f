// Rankings against those that FlashInfer-Bench itself gave (outside data).
#include "report/flashinfer_ranking.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/outside.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

using nlohmann::json;

// The records of a vector as a trace set on disk.
TraceSet load(const json& vector, const TempFolder& folder) {
  int number = 0;
  const auto next = [&number](const char* where) {
    return std::string(where) + "/" + std::to_string(1000 + number++) + ".json";
  };
  for (const json& definition : vector["definitions"])
    folder.write(next("definitions/op"), definition.dump());
  for (const json& solution : vector["solutions"])
    folder.write(next("solutions/a"), solution.dump());
  std::string lines;
  for (const json& trace : vector["traces"]) lines += trace.dump() + "\n";
  folder.write("traces/all.jsonl", lines);
  Diagnostics problems;
  TraceSet set = load_trace_set(folder.path(), {}, problems);
  EXPECT_EQ(problems.errors(), 0U);
  return set;
}

// KeyError's text is its message in quotes.
std::string message_of(const json& expected) {
  const std::string message = expected["message"];
  return expected["error"] == "KeyError" ? message.substr(1, message.size() - 2) : message;
}

void expect_score(const FlashInferScore& score, const json& expected, const std::string& label) {
  EXPECT_NEAR(score.avg_speedup, expected["avg_speedup"].get<double>(), 1e-12) << label;
  EXPECT_NEAR(score.win_rate, expected["win_rate"].get<double>(), 1e-12) << label;
  EXPECT_EQ(score.success_rate, expected["success_rate"].get<double>()) << label;
  EXPECT_EQ(score.definitions, expected["definitions"].get<std::int64_t>()) << label;
  EXPECT_EQ(score.workloads, expected["workloads"].get<std::int64_t>()) << label;
  json best = json::object();
  for (const auto& [definition, solution] : score.best_solutions) best[definition] = solution;
  EXPECT_EQ(best.empty() ? json() : best, expected["best_solutions"]) << label;
}

void expect_result(const FlashInferResult& result, const json& expected, const std::string& label) {
  if (expected.contains("error")) {
    EXPECT_EQ(result.error, message_of(expected)) << label;
    return;
  }
  EXPECT_EQ(result.error, "") << label;
  ASSERT_EQ(result.score.has_value(), !expected["result"].is_null()) << label;
  if (result.score) expect_score(*result.score, expected["result"], label);
}

void expect_ranks(const FlashInferRanks& ranks, const json& expected, const std::string& label) {
  if (expected.contains("error")) {
    EXPECT_EQ(ranks.error, message_of(expected)) << label;
    return;
  }
  EXPECT_EQ(ranks.error, "") << label;
  const json& authors = expected["result"];
  ASSERT_EQ(ranks.authors.size(), authors.size()) << label;
  for (std::size_t i = 0; i < authors.size(); ++i) {
    EXPECT_EQ(ranks.authors[i].first, authors[i][0]) << label;
    expect_score(ranks.authors[i].second, authors[i][1], label);
  }
}

// Returns `none` where the argument is not given, or null.
template <class T>
T given(const json& arguments, const char* key, T none) {
  return arguments.contains(key) && !arguments[key].is_null() ? arguments[key].get<T>() : none;
}

void expect_best(const TraceSet& set, const json& vector) {
  for (const json& wanted : vector.value("best_trace", json::array())) {
    const json& arguments = wanted["args"];
    const json lengths = given(arguments, "axes", json::object());
    OrderedMap<std::int64_t> axes;
    for (const auto& [name, length] : lengths.items()) axes[name] = length.get<std::int64_t>();
    const Trace* best = best_trace(
        set, arguments["def_name"].get<std::string>(),
        {given(arguments, "max_abs_error", 1e-2), given(arguments, "max_rel_error", 1e-2)},
        axes.empty() ? nullptr : &axes);
    const json got = best == nullptr
                         ? json()
                         : json{{"solution", *best->solution}, {"uuid", best->workload.uuid}};
    EXPECT_EQ(got, wanted["result"]) << wanted;
  }
  for (const json& wanted : vector.value("filter_traces", json::array())) {
    const json& arguments = wanted["args"];
    json got = json::array();
    for (const Trace* trace :
         filter_traces(set, arguments["def_name"].get<std::string>(),
                       {given(arguments, "atol", 1e-2), given(arguments, "rtol", 1e-2)}))
      got.push_back({*trace->solution, trace->workload.uuid});
    EXPECT_EQ(got, wanted["result"]) << wanted;
  }
}

TEST(FlashInferRanking, IsTheOriginals) {
  KBENCH_NEEDS_OUTSIDE();
  const auto text = read_file(outside_folder() / "vectors/ranking_vectors.json");
  int checked = 0;
  for (const json& vector : json::parse(text)) {
    const std::string label = vector["label"];
    const json& arguments = vector["args"];
    const TempFolder folder;
    const TraceSet set = load(vector, folder);
    const FlashInferRanking ranking(set, arguments["baseline_author"]);
    const auto text_of = [&](const char* key) {
      return arguments[key].is_null() ? "" : arguments[key].get<std::string>();
    };
    const FlashInferScope scope{text_of("op_type"), text_of("definition_name")};
    expect_ranks(ranking.rank_authors(scope), vector["rank_authors"], label);
    for (const auto& [author, expected] : vector["author_score"].items())
      expect_result(ranking.score_author(author, scope), expected, label + ": " + author);
    for (const auto& [solution, expected] : vector["solution_score"].items())
      expect_result(ranking.score_solution(solution), expected, label + ": " + solution);
    expect_best(set, vector);
    ++checked;
  }
  EXPECT_GE(checked, 9);
}

}  // namespace
}  // namespace kbench
