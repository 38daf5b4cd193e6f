// Places where groups can be made, as the kernels and containers of the world say it.
#include <gtest/gtest.h>

#include "sandbox/cgroup.hpp"
#include "support/temp_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

void expect_version_1(const CgroupPlaces& places, const fs::path& memory, const fs::path& pids) {
  EXPECT_EQ(places.memory, memory);
  EXPECT_EQ(places.pids, pids);
}

constexpr const char* unified_mount =
    "24 23 0:21 / /sys rw,nosuid,nodev,noexec,relatime shared:7 - sysfs sysfs rw\n"
    "30 24 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:4 - cgroup2 cgroup2 "
    "rw,nsdelegate,memory_recursiveprot\n";

TEST(CgroupPlaces, ASystemdDesktopHasItsOwnGroupAndThoseAbove) {
  const auto places = cgroup_places("0::/user.slice/user-1000.slice/app.scope\n", unified_mount);
  EXPECT_EQ(places.unified, (Paths{"/sys/fs/cgroup/user.slice/user-1000.slice/app.scope",
                                   "/sys/fs/cgroup/user.slice/user-1000.slice",
                                   "/sys/fs/cgroup/user.slice", "/sys/fs/cgroup"}));
  expect_version_1(places, "", "");
}

TEST(CgroupPlaces, InDockerTheTreeIsOnlyRead) {
  const std::string mount =
      "1021 1020 0:26 / /sys/fs/cgroup ro,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw\n";
  EXPECT_TRUE(cgroup_places("0::/\n", mount).unified.empty());
}

TEST(CgroupPlaces, InAPrivilegedContainerItsRootIsThePlace) {
  const std::string mount =
      "1021 1020 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime - cgroup2 cgroup rw\n";
  EXPECT_EQ(cgroup_places("0::/\n", mount).unified, (Paths{"/sys/fs/cgroup"}));
}

TEST(CgroupPlaces, RootlessPodmanShowsAPartOfTheTree) {
  const std::string mount =
      "700 699 0:26 /user.slice/user-1000.slice/libpod-1.scope/container /sys/fs/cgroup "
      "rw,nosuid,nodev,noexec,relatime - cgroup2 cgroup2 rw,nsdelegate\n";
  EXPECT_EQ(
      cgroup_places("0::/user.slice/user-1000.slice/libpod-1.scope/container\n", mount).unified,
      (Paths{"/sys/fs/cgroup"}));
}

constexpr const char* docker_v1_groups =
    "11:pids:/docker/4f5e\n10:memory:/docker/4f5e\n4:cpu,cpuacct:/docker/4f5e\n0::/system.slice\n";

std::string docker_v1_mounts(const std::string& access) {
  return "900 899 0:29 /docker/4f5e /sys/fs/cgroup/memory " + access +
         ",nosuid - cgroup cgroup rw,memory\n901 899 0:30 /docker/4f5e /sys/fs/cgroup/pids " +
         access + ",nosuid master:16 - cgroup cgroup rw,pids\n";
}

TEST(CgroupPlaces, InDockerOfVersion1TheOwnGroupIsTheMountsRoot) {
  expect_version_1(cgroup_places(docker_v1_groups, docker_v1_mounts("rw")), "/sys/fs/cgroup/memory",
                   "/sys/fs/cgroup/pids");
  expect_version_1(cgroup_places(docker_v1_groups, docker_v1_mounts("ro")), "", "");
}

TEST(CgroupPlaces, AMixedMachineHasItsControllersInVersion1) {
  const auto places =
      cgroup_places("9:name=systemd:/\n8:pids:/\n4:memory:/jobs/b6758\n0::/\n",
                    "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
                    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
                    "39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n"
                    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n");
  expect_version_1(places, "/sys/fs/cgroup/memory/jobs/b6758", "/sys/fs/cgroup/pids");
  EXPECT_EQ(places.unified, (Paths{"/sys/fs/cgroup/unified"}));
}

TEST(CgroupPlaces, ControllersMayShareAHierarchyAndNamesMayHaveSpaces) {
  const auto places = cgroup_places(
      "5:memory,pids:/a\n", "35 31 0:32 / /my\\040groups rw - cgroup cgroup rw,memory,pids\n");
  expect_version_1(places, "/my groups/a", "/my groups/a");
}

TEST(CgroupPlaces, AGroupOutsideOfWhatIsMountedIsNoPlace) {
  const char* const mount = "30 24 0:26 /a /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
  EXPECT_TRUE(cgroup_places("0::/ab/c\n", mount).unified.empty());
  EXPECT_TRUE(cgroup_places("0::/../../b\n", unified_mount).unified.empty());
}

TEST(CgroupPlaces, WithoutGroupsThereAreNone) {
  for (const char* text : {"", "\n", "0:", "garbage\n0::\n"}) {
    const auto places = cgroup_places(text, text);
    EXPECT_TRUE(places.unified.empty());
    expect_version_1(places, "", "");
  }
}

TEST(UsablePlace, IsTheNearestThatGivesItsGroupsBothControllers) {
  const TempFolder top;
  const fs::path own = top.path() / "slice" / "scope";
  for (const fs::path& folder : {top.path(), own.parent_path(), own}) {
    write_file(folder / "cgroup.procs", "");
    write_file(folder / "cgroup.subtree_control", folder == own ? "\n" : "cpu memory pids\n");
  }
  const auto place = usable_place({{own, own.parent_path(), top.path()}, "", ""});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->version, 2);
  EXPECT_EQ(place->folders, (Paths{own.parent_path()}));
  write_file(top.path() / "cgroup.subtree_control", "memory\n");
  EXPECT_FALSE(usable_place({{top.path()}, "", ""}));
  EXPECT_FALSE(usable_place({{top.path() / "absent"}, "", ""}));
}

TEST(UsablePlace, OfVersion1NeedsBoth) {
  const TempFolder memory, pids;
  for (const fs::path& folder : {memory.path(), pids.path()})
    write_file(folder / "cgroup.procs", "");
  const auto place = usable_place({{}, memory.path(), pids.path()});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->version, 1);
  EXPECT_EQ(place->folders, (Paths{memory.path(), pids.path()}));
  EXPECT_EQ(usable_place({{}, memory.path(), memory.path()})->folders, (Paths{memory.path()}));
  EXPECT_FALSE(usable_place({{}, memory.path(), ""}));
  EXPECT_FALSE(usable_place({{}, "", pids.path()}));
}

}  // namespace
}  // namespace kbench
