// Verdicts of FlashInfer-Bench on records: shared/outside/flashinfer-bench/vectors.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "base/file.hpp"
#include "schema/config.hpp"
#include "schema/definition.hpp"
#include "schema/kinds.hpp"
#include "schema/read.hpp"
#include "schema/solution.hpp"
#include "schema/to_json.hpp"
#include "support/outside.hpp"

namespace kbench {
namespace {

using Json = nlohmann::json;

// pydantic names the member of a union and "[key]" in the place of an error; a JSON pointer does
// not.
std::string pointer_of(const Json& loc) {
  std::string out;
  for (const auto& part : loc) {
    const std::string word =
        part.is_string() ? part.get<std::string>() : std::to_string(part.get<int>());
    const bool type_name = word == "AxisConst" || word == "AxisVar" || word == "RandomInput" ||
                           word == "SafetensorsInput" || word == "ScalarInput" || word == "[key]";
    if (!type_name) out += "/" + word;
  }
  return out;
}

// Tells whether their first error is ours, but for two differences: they say "the record" where
// kbench knows the field, and list errors of all members of a union, kbench those of the one meant.
bool same_place(const std::string& ours, const Json& errors) {
  const bool is_union = errors.size() > 1 && pointer_of(errors[0]["loc"]) != "";
  for (const auto& error : errors) {
    if (ours.starts_with(pointer_of(error["loc"]))) return true;
    if (!is_union) return false;
  }
  return false;
}

// Mends a latency that they write as null, which their own reader then refuses; kbench writes it as
// a string that every reader takes.
std::string repaired(const Json& vector) {
  std::string dump = vector["dump_full"].get<std::string>();
  const auto null = dump.find("\"speedup_factor\":null");
  return null == std::string::npos ? dump : dump.replace(null + 17, 4, "\"Infinity\"");
}

void check_vector(const Json& vector) {
  SCOPED_TRACE(vector["id"].get<std::string>() + ": " + vector["label"].get<std::string>());
  const Kind* kind = find_kind(vector["kind"].get<std::string>());
  ASSERT_NE(kind, nullptr);
  const Source source{"vector", vector["input"].get<std::string>()};
  Diagnostics problems;
  const std::string dump = kind->check(source, {}, problems);
  const bool valid = vector["expect"] == "valid";
  ASSERT_EQ(problems.errors() == 0, valid)
      << (problems.empty() ? "" : problems.items().front().message);
  if (valid) {
    EXPECT_EQ(Json::parse(dump), Json::parse(repaired(vector)));
    return;
  }
  std::vector<std::string> places;
  for (const Diagnostic& problem : problems.items()) {
    if (problem.level == Level::error) places.push_back(problem.where.pointer);
  }
  EXPECT_TRUE(same_place(places.front(), vector["errors"]))
      << places.front() << " is none of " << vector["errors"];
}

std::vector<Json> read_lines(const std::filesystem::path& path) {
  std::istringstream lines(read_file(path));
  std::vector<Json> out;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) out.push_back(Json::parse(line));
  }
  return out;
}

// Tells whether kbench reads on purpose what their reader refuses: their page says "Default: null".
bool is_read_on_purpose(const Json& vector) {
  return vector["kind"] == "definition" && vector["label"] == "constraints null";
}

TEST(SchemaVectors, SameVerdictSameDumpSamePlace) {
  KBENCH_NEEDS_OUTSIDE();
  const auto vectors = read_lines(outside_folder() / "vectors" / "schema_vectors.jsonl");
  EXPECT_GT(vectors.size(), 100U);
  for (const Json& vector : vectors)
    if (!is_read_on_purpose(vector)) check_vector(vector);
}

TEST(SchemaVectors, WritesTheKeysThatWereGiven) {
  KBENCH_NEEDS_OUTSIDE();
  for (const Json& vector : read_lines(outside_folder() / "vectors" / "schema_vectors.jsonl")) {
    if (vector["expect"] != "valid" || vector["kind"] != "definition") continue;
    SCOPED_TRACE(vector["id"].get<std::string>());
    Diagnostics problems;
    const auto definition =
        read_text<Definition>({"v", vector["input"].get<std::string>()}, {}, problems);
    ASSERT_TRUE(definition.has_value());
    EXPECT_EQ(Json::parse(to_json(*definition, Dump::set)),
              Json::parse(vector["dump_exclude_unset"].get<std::string>()));
  }
}

TEST(SchemaVectors, HashesOfSolutions) {
  KBENCH_NEEDS_OUTSIDE();
  int checked = 0;
  for (const Json& vector : read_lines(outside_folder() / "vectors" / "schema_vectors.jsonl")) {
    if (!vector.contains("hash_sha1")) continue;
    Diagnostics problems;
    const auto solution =
        read_text<Solution>({"v", vector["input"].get<std::string>()}, {}, problems);
    ASSERT_TRUE(solution.has_value()) << vector["id"];
    EXPECT_EQ(solution_hash(*solution), vector["hash_sha1"].get<std::string>()) << vector["id"];
    ++checked;
  }
  EXPECT_GT(checked, 5);
}

TEST(ConfigVectors, Resolve) {
  KBENCH_NEEDS_OUTSIDE();
  const Json vectors = Json::parse(read_file(outside_folder() / "vectors" / "config_vectors.json"));
  for (const Json& vector : vectors["resolve"]) {
    SCOPED_TRACE(vector["label"].get<std::string>());
    RunConfig config = default_config();
    if (vector["config"].is_object()) {
      Diagnostics problems;
      const auto read =
          read_config({"config.yaml", vector["config"].dump()}, problems);  // JSON is YAML
      ASSERT_TRUE(read.has_value()) << problems.items().front().message;
      config = *read;
    }
    const auto resolved = resolve(config, vector["op_type"], vector["definition"]);
    EXPECT_EQ(Json::parse(to_json(resolved)), vector["resolved"]);
  }
}

TEST(ConfigVectors, FieldValidation) {
  KBENCH_NEEDS_OUTSIDE();
  const Json vectors = Json::parse(read_file(outside_folder() / "vectors" / "config_vectors.json"));
  for (const Json& vector : vectors["field_validation"]) {
    const std::string text =
        vector["field"].get<std::string>() + ": " + vector["value"].dump() + "\n";
    Diagnostics problems;
    const bool valid = read_config({"config.yaml", text}, problems).has_value();
    EXPECT_EQ(valid, vector["expect"] == "valid") << text;
    if (!valid) {
      EXPECT_EQ(problems.items().front().where.line, 1) << text;
    }
  }
}

}  // namespace
}  // namespace kbench
