// Times of evaluating all references of trace sets, cold and kept, beside plain PyTorch on the same
// inputs: references [TRACE-SET…], by default this checkout's and the outside data's small set;
// with KBENCH_EACH=1 a line for each. One workload of each definition. Starting processes and
// making inputs are in no figure: they are shared. Each side runs each reference once; LibTorch's
// side compiles it, too. The limit is the project's own: 1.3 times PyTorch's time for the
// references that LibTorch runs.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/channel.hpp"
#include "problem/bind.hpp"
#include "problem/data/generate.hpp"
#include "problem/data/value_plan.hpp"
#include "reference/evaluator.hpp"
#include "sandbox/process.hpp"
#include "schema/trace_set.hpp"

namespace {

namespace fs = std::filesystem;
using namespace kbench;
using Clock = std::chrono::steady_clock;

const std::atomic<bool> never{false};
constexpr int threads = 2;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Runs bench/references_peer.py in LibTorch's Python; it gets the inputs' own memory.
class Peer {
 public:
  Peer() {
    auto [ours, theirs] = make_channel();
    ProcessPlan plan;
    const fs::path root = KBENCH_SOURCE_DIR;
    const char* python = std::getenv("FIB_PYTHON");
    plan.argv = {python != nullptr ? python : (root / ".venv/bin/python").string(),
                 (root / "bench/references_peer.py").string()};
    plan.environment = {"LC_ALL=C.UTF-8", "GOMP_SPINCOUNT=2000"};
    if (python == nullptr)
      plan.environment.push_back(std::string("LD_LIBRARY_PATH=") + KBENCH_STAND_INS);
    plan.fds = {theirs.get()};
    plan.output = STDERR_FILENO;
    process_.emplace(plan);
    socket_ = std::move(ours);
    receive_message(socket_.get(), std::chrono::seconds(120));
  }

  // Returns seconds of run(), or less than 0 where it raised.
  double run(const Definition& definition, const Inputs& inputs) {
    nlohmann::json values = nlohmann::json::array();
    for (const BoundInput& input : inputs.values) {
      nlohmann::json& value = values.emplace_back();
      value["dtype"] = info(input.tensor.dtype).name;
      if (input.scalar) {
        std::visit([&](auto scalar) { value["scalar"] = scalar; }, *input.scalar);
      } else {
        value["shape"] = input.tensor.shape;
        value["offset"] = input.offset;
      }
    }
    const nlohmann::json request = {{"reference", definition.reference}, {"inputs", values}};
    const int fd = inputs.memory.fd();
    send_message(socket_.get(), request.dump(),
                 fd >= 0 ? std::span(&fd, 1) : std::span<const int>());
    const auto reply = receive_message(socket_.get(), std::chrono::seconds(600));
    return reply ? std::stod(reply->text) : -1;
  }

 private:
  std::optional<ChildProcess> process_;
  Fd socket_;
};

struct Totals {
  int references = 0, failed = 0;
  double cold = 0, kept = 0, torch = 0;

  void print(const char* name) const {
    if (references == 0) return;
    std::printf("%-26s %4d references  PyTorch %8.2f s  cold %8.2f s (%.2f)  kept %7.3f s (%.3f)\n",
                name, references, torch, cold, cold / torch, kept, kept / torch);
  }
};

class Bench {
 public:
  bool is_detailed = false;  // prints a line for each reference

  void run_set(const fs::path& root) {
    Diagnostics problems;
    const TraceSet set = load_trace_set(root, {false, false, 0}, problems);
    std::string last;
    for (const Stored<Trace>& workload : set.workloads) {
      if (workload.record.definition == last) continue;
      last = workload.record.definition;
      run_workload(set, workload);
    }
  }

  void print() const {
    libtorch_.print("run by LibTorch");
    python_.print("run by Python");
    std::printf("%d references left out: PyTorch or kbench did not evaluate them\n", left_out_);
  }

 private:
  void run_workload(const TraceSet& set, const Stored<Trace>& workload) {
    const Definition& definition = *set.definition(workload.record.definition);
    Diagnostics problems;
    const Place line(workload.path, workload.line);
    const auto problem = bind(definition, workload.record.workload, line, problems);
    if (!problem) return;
    const Inputs inputs =
        generate_inputs(*problem, plan_values(definition, *problem, line, problems),
                        {0, 0, set.root, threads, line}, problems);
    constexpr ReferenceEffort once{};
    const double torch = peer_.run(definition, inputs);
    const auto begin = Clock::now();
    const ReferenceAnswer cold = evaluator_.evaluate(definition, *problem, inputs, once);
    const double cold_seconds = seconds_since(begin);
    if (torch < 0 || cold.outcome != ReferenceOutcome::ok) {
      ++left_out_;
      return;
    }
    const auto again = Clock::now();
    const ReferenceAnswer kept = evaluator_.evaluate(definition, *problem, inputs, once);
    Totals& totals = cold.evaluator == Evaluator::libtorch ? libtorch_ : python_;
    ++totals.references;
    const double kept_seconds = seconds_since(again);
    totals.torch += torch;
    totals.cold += cold_seconds;
    totals.kept += kept_seconds;
    if (is_detailed) {
      std::printf("%-60s PyTorch %8.4f s  cold %8.4f s (%+.4f)  kept %7.4f s\n",
                  definition.name.c_str(), torch, cold_seconds, cold_seconds - torch, kept_seconds);
    }
  }

  static fs::path fresh_folder() {
    std::string name = (fs::temp_directory_path() / "kbench-references-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    return name;
  }
  struct Folder {
    fs::path path = fresh_folder();
    ~Folder() { fs::remove_all(path); }
  };

  Folder folder_;
  Cache cache_{folder_.path, {std::uint64_t{20} << 30, std::uint64_t{8} << 30}};
  Peer peer_;
  ReferenceEvaluator evaluator_{fs::read_symlink("/proc/self/exe").parent_path() / "kbench-torch",
                                {},
                                threads,
                                never,
                                {&cache_, "bench"}};
  Totals libtorch_, python_;
  int left_out_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const fs::path root = KBENCH_SOURCE_DIR;
  const char* given = std::getenv("KBENCH_OUTSIDE");
  const fs::path outside = given != nullptr ? fs::path(given) : root / "../shared/outside";
  std::vector<fs::path> sets(argv + 1, argv + argc);
  if (sets.empty()) sets = {root, outside / "flashinfer-bench/small"};
  Bench bench;
  bench.is_detailed = std::getenv("KBENCH_EACH") != nullptr;
  for (const fs::path& set : sets) {
    if (fs::exists(set)) bench.run_set(set);
  }
  bench.print();
}
