#include "schema/record_signature.hpp"

#include <gtest/gtest.h>

#include <set>

#include "schema/record_lines.hpp"

namespace kbench {
namespace {

Doubt doubt_about_line(const std::string& line) { return doubt_about(read_line(line)); }

TEST(RecordOrigin, ARecordAsWrittenIsBelieved) {
  EXPECT_EQ(doubt_about_line(line_of(record())), Doubt::none);
  EXPECT_EQ(doubt_about_line(changed(line_of(record()), "\":\"", "\": \"")), Doubt::none);
  EXPECT_EQ(doubt_about(record()), Doubt::none);
}

TEST(RecordOrigin, AChangedValueIsDoubted) {
  for (const auto& [old, now] : {std::pair{"crashed", "passed"}, std::pair{"a CPU", "a GPU"}})
    EXPECT_EQ(doubt_about_line(changed(line_of(record()), old, now)), Doubt::edited);
}

TEST(RecordOrigin, ARecordOfKbenchWithoutDigestIsDoubted) {
  Trace trace = record();
  trace.evaluation->kbench->digest.reset();
  EXPECT_EQ(doubt_about_line(line_of(trace)), Doubt::edited);
  trace.evaluation->kbench->version = 1;
  EXPECT_EQ(doubt_about(trace), Doubt::edited);
  trace.evaluation->kbench.reset();
  EXPECT_EQ(doubt_about(trace), Doubt::edited);
  trace.evaluation->environment.libs = {};  // another program's
  EXPECT_EQ(doubt_about(trace), Doubt::none);
}

TEST(RecordOrigin, ASpeedUpThatIsNotThatOfItsTimesIsDoubted) {
  Timing timing;
  timing.latency_ns = 100;
  timing.reference_latency_ns = 400;
  timing.speedup.emplace();
  const auto doubt = [&](double ratio, double low, double high) {
    timing.speedup->ratio = ratio;
    timing.speedup->interval = {low, high};
    Trace trace = record();
    trace.evaluation->kbench->timing = timing;
    trace.evaluation->kbench->digest = record_digest(trace);
    return doubt_about(trace);
  };
  EXPECT_EQ(doubt(4, 3.9, 4.1), Doubt::none);
  EXPECT_EQ(doubt(4.5, 4.1, 4.9), Doubt::none);  // lies narrowly beside the interval
  for (const double ratio : {400, 4, -4})
    EXPECT_EQ(doubt(ratio, ratio * 1.01, ratio * 1.02), Doubt::contradictory) << ratio;
}

TEST(RecordOrigin, SaysWhoHasSigned) {
  EXPECT_EQ(signer_of(record()), "");
  EXPECT_EQ(signer_of(signed_record()), test_key()->public_key());
  EXPECT_EQ(signer_of(read_line(line_of(signed_record()))), test_key()->public_key());
}

// A signature belongs to one line, and to the key that made it.
TEST(RecordOrigin, ASignatureOfAnotherRecordIsNone) {
  Trace other = record();
  other.solution = "other";
  other.evaluation->kbench->digest = record_digest(other);
  other.evaluation->kbench->signature = signed_record().evaluation->kbench->signature;
  EXPECT_EQ(signer_of(read_line(line_of(other))), "");
  Trace by_another = signed_record();
  by_another.evaluation->kbench->signature->key = std::string(43, 'A') + "=";
  EXPECT_EQ(signer_of(by_another), "");
}

class Trusting : public testing::Test {
 protected:
  void TearDown() override { trust_only(std::nullopt); }
};

TEST_F(Trusting, OnlyWhatATrustedKeyHasSignedCounts) {
  trust_only(std::vector{test_key()->public_key()});
  EXPECT_EQ(doubt_about(signed_record()), Doubt::none);
  EXPECT_EQ(doubt_about(record()), Doubt::not_signed);
  Trace changed = signed_record();
  changed.solution = "other";
  EXPECT_EQ(doubt_about(changed), Doubt::edited);
  Trace old = record();
  const auto& digest = *old.evaluation->kbench->digest;
  old.evaluation->kbench->signature = {
      test_key()->public_key(), test_key()->sign("kbench record 1\n" + digest), {}};
  EXPECT_EQ(doubt_about_line(line_of(old)), Doubt::signed_in_old_form);
  trust_only(std::vector{std::string(43, 'A') + "="});
  EXPECT_EQ(doubt_about(signed_record()), Doubt::not_signed);
}

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

// Text between digest and signature would be covered by neither.
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

Basis labelled_basis() {
  return {"d", "w", "s", "g++ 12", {"-O3", "-DA=1"}, "m", std::nullopt, {}};
}

TEST(RecordLabel, EachPartOfItCounts) {
  std::set<std::string> keys = {basis_key(labelled_basis())};
  std::string Basis::*const texts[] = {&Basis::definition, &Basis::workload, &Basis::solution,
                                       &Basis::machine};
  for (std::string Basis::*const text : texts) {
    Basis basis = labelled_basis();
    basis.*text += "x";
    keys.insert(basis_key(basis));
  }
  Basis basis = labelled_basis();
  basis.compiler.reset();
  keys.insert(basis_key(basis));
  basis.flags.clear();
  keys.insert(basis_key(basis));
  basis.prepare = "setup";
  keys.insert(basis_key(basis));
  EXPECT_EQ(keys.size(), 8u);
}

}  // namespace

}  // namespace kbench
