#include "schema/read.hpp"

#include <gtest/gtest.h>

#include "schema/definition.hpp"
#include "schema/solution.hpp"
#include "schema/to_json.hpp"
#include "schema/trace.hpp"
#include "support/small_records.hpp"

namespace kbench {
namespace {

template <class Record>
Diagnostics problems_of(const std::string& text) {
  Diagnostics problems;
  read_text<Record>({"r.json", text}, {}, problems);
  return problems;
}

std::string said(const Diagnostics& problems) {
  std::string all;
  for (const Diagnostic& problem : problems.items()) all += render(problem, false);
  return all;
}

// Returns the places of commas, colons, quotes and brackets; in strings only of quotes.
std::vector<std::size_t> marks_of(const std::string& text) {
  std::vector<std::size_t> marks;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') in_string = !in_string;
    const bool structural = std::string(",:[]{}").find(text[i]) != std::string::npos;
    if (text[i] == '"' || (structural && !in_string)) marks.push_back(i);
  }
  return marks;
}

TEST(ReadText, AMarkThatIsMissingIsOneError) {
  const std::string text = definition_text("scale_d");
  for (const std::size_t mark : marks_of(text)) {
    std::string wrong = text;
    wrong.erase(mark, 1);
    const Diagnostics problems = problems_of<Definition>(wrong);
    EXPECT_EQ(problems.errors(), 1U) << wrong << said(problems);
  }
}

TEST(ReadText, ATextThatIsCutOffIsOneError) {
  const std::string line = trace_line("scale_d", workload_text("u1", 2), "s");
  const std::string text = definition_text("scale_d");
  for (std::size_t length = 0; length + 1 < line.size(); ++length) {
    const Diagnostics problems = problems_of<Trace>(line.substr(0, length));
    EXPECT_EQ(problems.errors(), 1U) << line.substr(0, length) << said(problems);
  }
  for (std::size_t length = 0; length < text.size(); ++length) {
    const Diagnostics problems = problems_of<Definition>(text.substr(0, length));
    EXPECT_EQ(problems.errors(), 1U) << text.substr(0, length) << said(problems);
  }
}

TEST(ReadText, TheHintIsWhatTheFieldIs) {
  std::string text = solution_text("s", "d", "me");
  const std::string sources = text.substr(text.find("[{\"path\""));
  text.replace(text.find(sources), sources.size(), R"([{"path": "a", "content": 5}, 7]})");
  const Diagnostics problems = problems_of<Solution>(text);
  ASSERT_EQ(problems.errors(), 2U) << said(problems);
  EXPECT_EQ(problems.items()[0].hint,
            "The source text; without it, the file `path` beside the JSON");
  EXPECT_EQ(problems.items()[1].hint, "The source files");
}

TEST(ReadText, MistakesOnSeveralLinesAreAllSaid) {
  std::string text = definition_text("scale_d");
  const auto put = [&text](const std::string& old, const std::string& now) {
    text.replace(text.find(old), old.size(), now);
  };
  put("\"scale\",", "\"scale\"");
  put("\"value\": 4", "\"value\": None");
  put("\"dtype\": \"float32\"", "\"dtype\": \"flaot32\"");
  put("M >= 1", "M >=");
  const Diagnostics problems = problems_of<Definition>(text);
  EXPECT_EQ(problems.errors(), 4U) << said(problems);
}

constexpr std::string_view read_workload_text =
    R"({"axes": {"n": 4}, "inputs": {"x": IN}, "uuid": "w"})";

std::string with_input(const std::string& input) {
  std::string text(read_workload_text);
  return text.replace(text.find("IN"), 2, input);
}

TEST(RandomInputs, AKindAndItsLimitsAreReadAndWritten) {
  const std::string input = R"({"type":"random","kind":"ids","low":2,"high":9,"padding":true})";
  Diagnostics problems;
  const auto workload = read_text<Workload>({"w.json", with_input(input)}, {}, problems);
  ASSERT_TRUE(workload) << said(problems);
  EXPECT_EQ(std::get<RandomInput>(*workload->inputs.find("x")).kind, ValueKind::ids);
  EXPECT_NE(to_json(*workload, Dump::full).find(input), std::string::npos);
  EXPECT_NE(to_json(*workload, Dump::set).find(input), std::string::npos);
}

TEST(RandomInputs, WithoutAKindNothingIsAdded) {
  Diagnostics problems;
  const auto workload =
      read_text<Workload>({"w.json", with_input(R"({"type":"random"})")}, {}, problems);
  ASSERT_TRUE(workload);
  EXPECT_NE(to_json(*workload, Dump::full).find(R"("x":{"type":"random"})"), std::string::npos);
}

TEST(RandomInputs, WrongKindsAndLimitsAreSaid) {
  const std::string kind = said(problems_of<Workload>(with_input(R"({"kind": "indptrs"})")));
  EXPECT_NE(kind.find("r.json:1:45: error: unknown value \"indptrs\""), std::string::npos) << kind;
  EXPECT_NE(kind.find("did you mean \"indptr\"?"), std::string::npos) << kind;
  const std::string low = said(problems_of<Workload>(with_input(R"({"low": 3})")));
  EXPECT_NE(low.find("need their \"kind\""), std::string::npos) << low;
  const std::string order =
      said(problems_of<Workload>(with_input(R"({"kind": "ids", "low": 3, "high": 2})")));
  EXPECT_NE(order.find("high 2 is below low 3"), std::string::npos) << order;
}

}  // namespace
}  // namespace kbench
