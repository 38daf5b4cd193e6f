#include "cli/machine/facilities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace kbench {
namespace {

using Commands = std::vector<std::string>;

constexpr double free_cores_wanted = 1.5;  // two, less an idle machine's own work

std::string as_root(const Equipment& equipment, const std::string& command) {
  return equipment.is_root ? command : "sudo " + command;
}

std::string write_as_root(const Equipment& equipment, const std::string& value,
                          const std::string& file) {
  return fmt::format("echo {} | {} {}", value, as_root(equipment, "tee"), file);
}

Facility facility(std::string name, std::string title, const Tool& tool, std::string without,
                  Commands commands) {
  const bool is_here = !tool.found.empty();
  return {std::move(name),
          std::move(title),
          false,
          is_here,
          is_here ? tool.found : tool.problem,
          std::move(without),
          is_here ? Commands{} : std::move(commands)};
}

Facility required(Facility one) {
  one.is_required = true;
  return one;
}

// Builds a program again, from the sources of the checkout.
Commands build(const Equipment& equipment, const char* program) {
  if (equipment.checkout.empty()) return {};
  return {fmt::format("cmake --build {} --target {}", shell_quote(equipment.build_folder.string()),
                      program)};
}

// Installs the packages that an installed kbench takes from PyPI.
Commands get_torch(const Equipment& equipment) {
  if (equipment.requirements.empty()) return {};
  std::string packages;
  for (const char* const file : {"requirements", "requirements-torch", "requirements-python"})
    packages += fmt::format(" -r {}/{}.txt", shell_quote(equipment.requirements.string()), file);
  if (!equipment.environment.empty()) {
    const auto python = equipment.environment / "bin" / "python3";
    return {shell_quote(python.string()) + " -m pip install --no-deps" + packages};
  }
  return {"python3 -m venv ~/kbench-torch && ~/kbench-torch/bin/pip install --no-deps" + packages +
          " && export KBENCH_TORCH=~/kbench-torch"};
}

// Installs all that the checkout asks for, and builds with it.
Commands set_up(const Equipment& equipment) {
  if (equipment.torch.found.empty() && !equipment.chosen_torch.empty())
    return {"unset KBENCH_TORCH"};
  if (equipment.checkout.empty()) return get_torch(equipment);
  const std::string from = shell_quote(equipment.checkout.string());
  const std::string to = shell_quote(equipment.build_folder.string());
  return {fmt::format(
      "{0}/tools/setup build && cmake -S {0} -B {1} && cmake --build {1} --target programs", from,
      to)};
}

Commands get_compiler(const Equipment& equipment) {
  if (!equipment.chosen_compiler.empty()) return {"unset CXX"};
  if (!equipment.has_apt) return {};
  return {as_root(equipment, "apt-get install --no-install-recommends g++")};
}

void add_programs(std::vector<Facility>& facilities, const Equipment& e) {
  facilities.push_back(required(facility("compiler", "C++ compiler", e.compiler,
                                         "no solution in C++ is built", get_compiler(e))));
  facilities.push_back(required(facility("worker", "kbench-worker", e.worker,
                                         "no solution in C++ is run", build(e, "kbench-worker"))));
  facilities.push_back(
      required(facility("torch", "kbench-torch", e.torch, "no reference is evaluated", set_up(e))));
  facilities.push_back(facility("python", "Python evaluator", e.python,
                                "no reference that LibTorch cannot compile, no solution in Python",
                                set_up(e)));
  facilities.push_back(facility("google_benchmark", "Google Benchmark's worker", e.google_worker,
                                "no --engine google-benchmark",
                                build(e, "kbench-worker-google-benchmark")));
}

void add_headers(std::vector<Facility>& facilities, const Equipment& e) {
  facilities.push_back(facility("small_header", "kbench_ffi.h", e.small_header,
                                "no solution that includes it is built", {}));
  facilities.push_back(facility("tvm_ffi", "headers of tvm-ffi", e.tvm_ffi,
                                "no solution that includes them is built", set_up(e)));
  facilities.push_back(facility("torch_headers", "headers of torch", e.torch_headers,
                                "no solution with binding torch is built", set_up(e)));
}

void add_gpu(std::vector<Facility>& facilities, const Equipment& e) {
  facilities.push_back(
      facility("gpu", "NVIDIA GPU", e.gpu, "no solution in CUDA or Triton is run", {}));
  facilities.push_back(facility("emulation", "emulation of CUDA", e.emulation,
                                "no --emulate, which judges solutions in CUDA without a GPU",
                                build(e, "kbench_emulation_archive")));
  facilities.push_back(facility("triton", "Triton", e.triton,
                                "no solution in Triton is judged, with a GPU or with --emulate",
                                {}));
  facilities.push_back(facility("cuda", "nvcc", e.nvcc, "no solution in CUDA is built", {}));
  facilities.push_back(
      facility("nvrtc", "NVRTC", e.nvrtc, "no solution with \"launch\" is built", {}));
  facilities.push_back(
      facility("cupti", "CUPTI", e.cupti, "times of a GPU are those of its events alone", {}));
  facilities.push_back(facility("compute_sanitizer", "compute-sanitizer", e.compute_sanitizer,
                                "no --sanitize of solutions in CUDA", {}));
  facilities.push_back(facility("ncu", "ncu", e.ncu, "no --profile", {}));
}

std::string isolation_text(const Equipment& e) {
  if (e.isolation == Isolation::namespaces) return "namespaces, Landlock and seccomp";
  return fmt::format("level {}, since {}", letter(e.isolation), e.no_higher_isolation);
}

void add_isolation(std::vector<Facility>& facilities, const Equipment& e) {
  const bool is_best = e.isolation == Isolation::namespaces;
  Commands commands;
  if (!is_best)
    for (const std::string& setting : e.namespace_settings)
      commands.push_back(as_root(e, "sysctl -w " + setting));
  facilities.push_back({"isolation", "isolation level A", false, is_best, isolation_text(e),
                        e.isolation == Isolation::limits
                            ? "a solution can read and write what you can"
                            : "a solution can tell which files exist",
                        commands});
  facilities.push_back(facility("cgroup", "cgroups", e.cgroups,
                                "memory that a solution shares does not count towards its limit",
                                {}));
}

std::string clock_text(const MachineState& state) {
  std::vector<std::string> parts;
  if (!state.governor.empty()) parts.push_back("governor " + state.governor);
  if (state.boost) parts.push_back(state.boost->is_on ? "boost on" : "boost off");
  return parts.empty() ? "not shown here, as on most virtual machines" : join(parts, ", ");
}

// A setting that is not shown cannot be set either.
void add_quiet(std::vector<Facility>& facilities, const Equipment& e) {
  const MachineState& state = e.state;
  Commands commands;
  if (!state.governor.empty() && state.governor != "performance")
    commands.push_back(
        write_as_root(e, "performance", "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"));
  const bool is_boosted = state.boost && state.boost->is_on;
  if (is_boosted) commands.push_back(write_as_root(e, state.boost->off, state.boost->file));
  const bool is_fixed = state.governor == "performance" && !is_boosted;
  facilities.push_back({"clock", "fixed clock rate", false, is_fixed, clock_text(state),
                        "times differ from hour to hour; compare, do not measure", commands});
  std::string cores = counted(static_cast<std::size_t>(e.cores), "core");
  if (state.load) cores += fmt::format(", load {:.2f}", *state.load);
  facilities.push_back({"free_cores",
                        "two free cores",
                        false,
                        e.cores - state.load.value_or(0) >= free_cores_wanted,
                        cores,
                        "times are longer, those of audits most",
                        {}});
}

}  // namespace

std::vector<Facility> facilities_of(const Equipment& equipment) {
  std::vector<Facility> facilities;
  add_programs(facilities, equipment);
  add_headers(facilities, equipment);
  add_isolation(facilities, equipment);
  add_gpu(facilities, equipment);
  add_quiet(facilities, equipment);
  return facilities;
}

bool can_judge(const std::vector<Facility>& facilities) {
  return std::all_of(facilities.begin(), facilities.end(),
                     [](const Facility& one) { return one.is_here || !one.is_required; });
}

std::string judging_text(const std::vector<Facility>& facilities) {
  if (can_judge(facilities)) return "solutions in C++ can be judged here";
  const auto is_here = [&facilities](const char* name) {
    return std::any_of(facilities.begin(), facilities.end(),
                       [name](const Facility& one) { return one.name == name && one.is_here; });
  };
  const bool has_python = is_here("torch") && is_here("python");
  return std::string("solutions in C++ cannot be judged here") +
         (has_python ? ", those in Python can" : "");
}

std::string setup_text(const std::vector<Facility>& facilities) {
  std::vector<std::pair<std::string, Commands>> titles_of;  // each command's facilities
  for (const Facility& one : facilities) {
    for (const std::string& command : one.commands) {
      const auto known = std::find_if(titles_of.begin(), titles_of.end(),
                                      [&](const auto& listed) { return listed.first == command; });
      if (known == titles_of.end())
        titles_of.push_back({command, {one.title}});
      else
        known->second.push_back(one.title);
    }
  }
  std::string text;
  for (const auto& [command, titles] : titles_of)
    text += fmt::format("{}  # {}\n", command, join(titles, ", "));
  return text;
}

}  // namespace kbench
