#include "cli/machine/facilities.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace kbench {
namespace {

// Equipment of a machine that has everything, in a build folder.
Equipment full() {
  Equipment e;
  for (Tool* tool : {&e.compiler, &e.worker, &e.google_worker, &e.torch, &e.python, &e.small_header,
                     &e.tvm_ffi, &e.torch_headers, &e.cgroups, &e.gpu, &e.nvcc, &e.nvrtc, &e.cupti,
                     &e.compute_sanitizer, &e.ncu, &e.emulation, &e.triton})
    tool->found = "/there";
  e.isolation = Isolation::namespaces;
  e.state = {0.25, "performance", Boost{false, "/sys/boost", "0"}};
  e.cores = 4;
  e.checkout = "/home/a b/kbench";
  e.build_folder = "/home/a b/kbench/build";
  e.has_apt = true;
  return e;
}

Facility find(const Equipment& equipment, const std::string& name) {
  const auto all = facilities_of(equipment);
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&name](const Facility& one) { return one.name == name; });
  EXPECT_NE(found, all.end()) << name;
  return *found;
}

using Commands = std::vector<std::string>;

TEST(Facilities, NothingIsMissingWhereEverythingIsThere) {
  const auto all = facilities_of(full());
  for (const Facility& one : all) EXPECT_TRUE(one.is_here) << one.name;
  EXPECT_TRUE(can_judge(all));
  EXPECT_EQ(setup_text(all), "");
}

TEST(Facilities, AMachineWithNothingHasNone) {
  const auto all = facilities_of(Equipment());
  for (const Facility& one : all) {
    EXPECT_FALSE(one.is_here) << one.name;
    EXPECT_NE(one.without, "") << one.name;
  }
  EXPECT_FALSE(can_judge(all));
  EXPECT_EQ(setup_text(all), "");  // no command would be right without apt-get and checkout
}

TEST(Facilities, JudgingTakesCompilerWorkerAndTorchAlone) {
  Equipment e = full();
  for (Tool* tool : {&e.google_worker, &e.python, &e.tvm_ffi, &e.cgroups, &e.gpu}) tool->found = "";
  e.isolation = Isolation::limits;
  EXPECT_TRUE(can_judge(facilities_of(e)));
  for (Tool Equipment::*tool : {&Equipment::compiler, &Equipment::worker, &Equipment::torch}) {
    Equipment lacks = full();
    (lacks.*tool).found = "";
    EXPECT_FALSE(can_judge(facilities_of(lacks)));
  }
}

TEST(Facilities, ACompilerComesFromAptOrFromNoCxx) {
  Equipment e = full();
  e.compiler = {"", "no C++ compiler found"};
  EXPECT_EQ(find(e, "compiler").commands,
            Commands{"sudo apt-get install --no-install-recommends g++"});
  EXPECT_EQ(find(e, "compiler").found, "no C++ compiler found");
  e.is_root = true;
  EXPECT_EQ(find(e, "compiler").commands, Commands{"apt-get install --no-install-recommends g++"});
  e.chosen_compiler = "cl";
  EXPECT_EQ(find(e, "compiler").commands, Commands{"unset CXX"});
}

TEST(Facilities, ACommandThatGetsSeveralIsPrintedOnce) {
  Equipment e = full();
  e.torch.found = e.python.found = e.worker.found = "";
  EXPECT_EQ(setup_text(facilities_of(e)),
            "cmake --build '/home/a b/kbench/build' --target kbench-worker  # kbench-worker\n"
            "'/home/a b/kbench'/tools/setup build && cmake -S '/home/a b/kbench' -B "
            "'/home/a b/kbench/build' && cmake --build '/home/a b/kbench/build' --target programs  "
            "# kbench-torch, Python evaluator\n");
}

TEST(Facilities, AnInstalledKbenchGetsLibTorchFromPyPi) {
  Equipment e = full();
  e.checkout = e.build_folder = "";
  e.requirements = "/usr/share/kbench";
  e.torch = {};
  EXPECT_EQ(setup_text(facilities_of(e)),
            "python3 -m venv ~/kbench-torch && ~/kbench-torch/bin/pip install --no-deps"
            " -r /usr/share/kbench/requirements.txt -r /usr/share/kbench/requirements-torch.txt"
            " -r /usr/share/kbench/requirements-python.txt && export KBENCH_TORCH=~/kbench-torch"
            "  # kbench-torch\n");
}

TEST(Facilities, AWheelGetsLibTorchIntoItsEnvironment) {
  Equipment e = full();
  e.checkout = e.build_folder = "";
  e.requirements = "/env/share/kbench";
  e.environment = "/env";
  e.torch = {};
  EXPECT_EQ(setup_text(facilities_of(e)),
            "/env/bin/python3 -m pip install --no-deps -r /env/share/kbench/requirements.txt"
            " -r /env/share/kbench/requirements-torch.txt"
            " -r /env/share/kbench/requirements-python.txt  # kbench-torch\n");
}

TEST(Facilities, WithoutACompilerThereArePythonsSolutions) {
  Equipment e = full();
  EXPECT_EQ(judging_text(facilities_of(e)), "solutions in C++ can be judged here");
  e.compiler = {};
  EXPECT_EQ(judging_text(facilities_of(e)),
            "solutions in C++ cannot be judged here, those in Python can");
  e.python = {};
  EXPECT_EQ(judging_text(facilities_of(e)), "solutions in C++ cannot be judged here");
}

TEST(Facilities, IsolationSaysWhyAndWhichSettingsRaiseIt) {
  Equipment e = full();
  e.isolation = Isolation::landlock;
  e.no_higher_isolation = "mounts: Operation not permitted";
  e.namespace_settings = {"kernel.unprivileged_userns_clone=1"};
  const Facility isolation = find(e, "isolation");
  EXPECT_FALSE(isolation.is_here);
  EXPECT_EQ(isolation.found, "level B, since mounts: Operation not permitted");
  EXPECT_EQ(isolation.commands, Commands{"sudo sysctl -w kernel.unprivileged_userns_clone=1"});
  e.isolation = Isolation::namespaces;  // the setting forbids root nothing
  EXPECT_EQ(find(e, "isolation").commands, Commands{});
}

TEST(Facilities, ACompilerOfCudaNeedsNoGpu) {
  Equipment e = full();
  e.gpu = {};
  EXPECT_EQ(find(e, "cuda").found, "/there");
  e.nvcc = {"", "no nvcc found"};
  EXPECT_FALSE(find(e, "cuda").is_here);
  EXPECT_EQ(find(e, "cuda").without, "no solution in CUDA is built");
}

TEST(Facilities, AClockIsFixedByGovernorAndBoost) {
  Equipment e = full();
  e.state.governor = "powersave";
  e.state.boost = Boost{true, "/sys/no_turbo", "1"};
  EXPECT_EQ(find(e, "clock").found, "governor powersave, boost on");
  EXPECT_EQ(find(e, "clock").commands,
            (Commands{"echo performance | sudo tee "
                      "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor",
                      "echo 1 | sudo tee /sys/no_turbo"}));
  e.state = {0.25, "", std::nullopt};
  EXPECT_FALSE(find(e, "clock").is_here);
  EXPECT_EQ(find(e, "clock").commands, Commands{});
}

TEST(Facilities, TwoCoresAreFreeUnlessOthersTakeThem) {
  Equipment e = full();
  e.cores = 2;
  EXPECT_TRUE(find(e, "free_cores").is_here);
  e.state.load = 1.5;
  EXPECT_FALSE(find(e, "free_cores").is_here);
  EXPECT_EQ(find(e, "free_cores").found, "2 cores, load 1.50");
  e.state.load.reset();
  e.cores = 1;
  EXPECT_FALSE(find(e, "free_cores").is_here);
}

}  // namespace
}  // namespace kbench
