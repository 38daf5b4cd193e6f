#include <gtest/gtest.h>

#include "schema/record_lines.hpp"
#include "schema/record_origin.hpp"

namespace kbench {
namespace {

TEST(RecordDigest, ALineAsWrittenIsSealed) {
  EXPECT_TRUE(read_line(line_of(record())).is_sealed);
  EXPECT_TRUE(read_line(line_of(signed_record())).is_sealed);
}

TEST(RecordDigest, ALineWrittenAnewIsNotSealed) {
  EXPECT_FALSE(read_line(changed(line_of(record()), "\":\"", "\": \"")).is_sealed);
}

TEST(RecordDigest, AChangedValueIsNotSealed) {
  for (const auto& [old, now] : {std::pair{"crashed", "passed"}, std::pair{"a CPU", "a GPU"}})
    EXPECT_FALSE(read_line(changed(line_of(record()), old, now)).is_sealed);
}

// What stood between digest and signature would be covered by neither.
TEST(RecordDigest, NothingStandsBetweenDigestAndSignature) {
  const std::string line = line_of(signed_record());
  const std::string more = ",\"more\":\"audit\",\"signature\"";
  EXPECT_FALSE(read_line(changed(line, ",\"signature\"", more)).is_sealed);
}

TEST(RecordDigest, IsOfTheRecordWithoutDigestAndSignature) {
  const Trace trace = record();
  EXPECT_EQ(record_digest(trace), *trace.evaluation->kbench->digest);
  EXPECT_EQ(record_digest(signed_record()), *trace.evaluation->kbench->digest);
}

}  // namespace
}  // namespace kbench
