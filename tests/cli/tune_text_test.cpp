#include "cli/tune/tune_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kbench {
namespace {

TuneText failed(const std::string& cause) {
  TuneText text;
  text.definition = "scale";
  text.solution = "blocked";
  text.workload = "w1";
  text.parameters = {"BLOCK"};
  TuneRow& row = text.report.rows.emplace_back();
  row.configuration["BLOCK"] = std::int64_t{64};
  row.status = Status::compile_error;
  row.cause = cause;
  return text;
}

TEST(TuneText, OnlyTheTableShortensACause) {
  const std::string cause = "BUILD_ERROR: " + std::string(500, 'x') + " the end";
  const TuneText text = failed(cause);
  EXPECT_EQ(tune_tables({&text, 1}, {}),
            "scale · blocked · w1 ()\n"
            "BLOCK  status         time  samples  cause\n"
            "64     COMPILE_ERROR  -           0  BUILD_ERROR: " +
                std::string(76, 'x') + "…\n");
  EXPECT_EQ(nlohmann::json::parse(tune_json({&text, 1}))[0]["rows"][0]["cause"], cause);
  EXPECT_NE(tune_html({&text, 1}).find("<td>" + cause), std::string::npos);
}

}  // namespace
}  // namespace kbench
