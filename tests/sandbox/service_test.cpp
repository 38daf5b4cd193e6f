// The user that owns nothing, and the files that anybody may read.
#include "sandbox/service.hpp"

#include <gtest/gtest.h>

#include "sandbox/box.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

const std::atomic<bool> never{false};
constexpr Service::Seconds soon{0.2}, long_enough{60};

// A shell whose channel is descriptor 3; a message is its length in 8 bytes, then the text.
Service shell_service(const std::string& script, const std::atomic<bool>& stop = never) {
  return Service({"/bin/sh", "-c", script}, stop);
}

constexpr const char* hello = R"(printf '\005\0\0\0\0\0\0\0hello' >&3; )";

std::string failure(const char* script, Service::Seconds limit = long_enough) {
  Service service = shell_service(script);
  try {
    return service.greeting(limit);
  } catch (const ServiceFailure& failure) {
    return failure.what();
  }
}

TEST(Service, GreetsOnceAndAnswersAfterwards) {
  Service service = shell_service(
      std::string(hello) + R"(read -r line <&3; printf '\003\0\0\0\0\0\0\0yes' >&3; sleep 9)");
  EXPECT_EQ(service.greeting(long_enough), "hello");
  EXPECT_EQ(service.greeting(long_enough), "hello");
  const auto answer = service.ask("question\n", {}, long_enough);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->text, "yes");
}

TEST(Service, StartsAgainAfterItHasEnded) {
  Service service = shell_service(hello);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(service.greeting(long_enough), "hello");
    EXPECT_FALSE(service.ask("question\n", {}, long_enough).has_value());
  }
}

TEST(Service, SaysWhyItDoesNotStart) {
  EXPECT_EQ(failure("exit 7"), "/bin/sh -c exit 7 does not start: it exited with 7");
  EXPECT_EQ(failure("exec 3>&-; exec sleep 9"),
            "/bin/sh -c exec 3>&-; exec sleep 9 does not start: it closed its channel");
  EXPECT_EQ(failure("exec sleep 9", soon), "/bin/sh -c exec sleep 9 has not answered for 0.2 s");
  EXPECT_THROW(Service({"/no/such/program"}, never).start(), ServiceFailure);
}

TEST(Service, SaysTheLastLineOfAProgramThatDoesNotStart) {
  EXPECT_EQ(failure("echo first; echo sh: no such library >&2; exit 127"),
            "/bin/sh -c echo first; echo sh: no such library >&2; exit 127 does not start: no such "
            "library");
}

TEST(Service, AStopEndsTheWait) {
  std::atomic<bool> stop{false};
  Service service = shell_service(std::string(hello) + "exec sleep 9", stop);
  EXPECT_EQ(service.greeting(long_enough), "hello");
  stop = true;
  EXPECT_THROW(service.ask("question\n", {}, long_enough), Interrupted);
}

namespace fs = std::filesystem;

TEST(SpareId, IsOneThatNoSystemGivesAway) {
  EXPECT_EQ(spare_id("         0          0 4294967295\n"), 1'879'100'000U);
  EXPECT_EQ(spare_id("0 1000 1\n1 100000 4000000000\n"), 1'879'100'000U);
}

TEST(SpareId, InASmallNamespaceIsTheHighest) {
  EXPECT_EQ(spare_id("0 1000 1\n1 100000 65536\n"), 65536U);
  EXPECT_EQ(spare_id("1 100000 65535\n0 1000 1\n"), 65535U);
}

TEST(SpareId, WhereThereIsRootAloneThereIsNone) {
  for (const char* map : {"", "0 1000 1\n", "garbage\n", "0 0 0\n"}) EXPECT_FALSE(spare_id(map));
}

TEST(Public, IsWhatAnybodyMayReadAndReach) {
  const TempFolder top;
  const fs::path file = top.path() / "folder" / "file";
  write_file(file, "");
  fs::permissions(top.path(), fs::perms(0755));
  const auto is_open = [&](int folder, int mode, bool above) {
    fs::permissions(file.parent_path(), static_cast<fs::perms>(folder));
    fs::permissions(file, static_cast<fs::perms>(mode));
    return is_public({{file, top.path() / "absent"}, {}}, above);
  };
  EXPECT_TRUE(is_open(0755, 0644, true));
  EXPECT_TRUE(is_open(0711, 0644, true));
  EXPECT_FALSE(is_open(0700, 0644, true));
  EXPECT_TRUE(is_open(0700, 0644, false));
  EXPECT_FALSE(is_open(0755, 0600, true));
  fs::permissions(file.parent_path(), fs::perms(0700));
  EXPECT_TRUE(is_public({{}, {file.parent_path()}}, true));
  fs::create_directory(file.parent_path() / "more");
  EXPECT_FALSE(is_public({{}, {file.parent_path() / "more"}}, true));
}

}  // namespace

}  // namespace kbench
