#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/format.hpp"

namespace kbench {
namespace {

std::vector<Grid> grids() {
  Grid first;
  first.title = "one | two";
  first.columns = {{"name"},
                   {"count", "how many"},
                   {"note", "", Shown::where_any},
                   {"secret", "", Shown::never},
                   {"share"}};
  first.rows = {{{"a, \"b\""}, {std::int64_t{12}}, {}, {"x"}, {0.123456, "12%"}},
                {{"c"}, {}, {}, {true}, {2.5}}};
  Grid second;
  second.columns = first.columns;
  second.rows = {{{"d_e"}, {std::int64_t{3}}, {"new\nline"}, {}, {}}};
  return {first, second};
}

TEST(Grid, IsATableForPeople) {
  EXPECT_EQ(write_table({.grids = grids()}, {}),
            "one | two\n"
            "name    how many  share\n"
            "a, \"b\"        12    12%\n"
            "c              -    2.5\n"
            "\n"
            "name  how many  note         share\n"
            "d_e          3  new\\x0aline  -\n");
}

TEST(Grid, ALongTextIsShownShort) {
  EXPECT_EQ(short_text("first\nsecond"), "first");
  const std::string fits(90, 'x');
  EXPECT_EQ(short_text(fits), fits);
  EXPECT_EQ(short_text(fits + "y"), std::string(89, 'x') + "…");
  EXPECT_EQ(short_text(std::string(88, 'x') + "×y"), std::string(88, 'x') + "…");
}

TEST(Grid, IsJsonWithAllValues) {
  const auto json = nlohmann::json::parse(write_json({.grids = grids()}, {}));
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0]["share"], 0.123456);
  EXPECT_EQ(json[0]["secret"], "x");
  EXPECT_EQ(json[1]["count"], nullptr);
  EXPECT_EQ(json[1]["secret"], true);
  EXPECT_EQ(json[2]["note"], "new\nline");
}

TEST(Grid, IsCsvOfRfc4180) {
  EXPECT_EQ(write_csv({.grids = grids()}, {}),
            "name,count,note,secret,share\r\n"
            "\"a, \"\"b\"\"\",12,,x,0.123456\r\n"
            "c,,,true,2.5\r\n"
            "d_e,3,\"new\nline\",,\r\n");
}

TEST(Grid, IsMarkdownWithNothingThatItWouldReadOtherwise) {
  EXPECT_EQ(write_markdown({.grids = grids()}, {}),
            "### one \\| two\n\n"
            "| name | how many | share |\n"
            "| --- | ---: | ---: |\n"
            "| a, \"b\" | 12 | 12% |\n"
            "| c |  | 2.5 |\n"
            "\n"
            "| name | how many | note | share |\n"
            "| --- | ---: | --- | --- |\n"
            "| d\\_e | 3 | new line |  |\n");
}

TEST(Grid, IsAPageThatCutsNothing) {
  Grid grid;
  grid.title = "a < b";
  grid.columns = {{"cause"}, {"secret", "", Shown::never}};
  const std::string cause(200, 'x');
  grid.rows = {{{cause, short_text(cause)}, {"y"}}};
  const std::string page = write_html({.grids = {grid}, .notes = "1 > 0"}, {});
  EXPECT_NE(page.find("<h2>a &lt; b</h2><table><tr><th>cause<tr><td>" + cause + "</table>"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("<p>1 &gt; 0</p>"), std::string::npos);
}

// Cells that a spreadsheet would run, or a terminal obey.
TEST(Grid, NoFormatHasAnythingThatItsReaderObeys) {
  Grid grid;
  grid.columns = {{"name"}, {"number"}};
  grid.rows = {{{"=cmd()"}, {-2.5}}, {{"+1+2"}, {"-2.5"}}, {{"@a"}, {"-"}}, {{"a\x1b[2J\x07"}, {}}};
  const std::vector<Grid> all = {grid};
  EXPECT_EQ(write_csv({.grids = all}, {}),
            "name,number\r\n'=cmd(),-2.5\r\n'+1+2,-2.5\r\n'@a,-\r\na\\x1b[2J\\x07,\r\n");
  const std::string markdown = write_markdown({.grids = all}, {});
  EXPECT_EQ(markdown.find('\x1b'), markdown.npos);
  EXPECT_NE(markdown.find("a\\\\x1b\\[2J"), markdown.npos) << markdown;
  EXPECT_NE(markdown.find("| @<!-- -->a |"), markdown.npos) << markdown;
}

TEST(Grid, OfNothingIsStillItsFormat) {
  EXPECT_EQ(write_json({}, {}), "[]\n");
  EXPECT_EQ(write_csv({}, {}), "");
  EXPECT_EQ(write_table({}, {}), "");
}

}  // namespace
}  // namespace kbench
