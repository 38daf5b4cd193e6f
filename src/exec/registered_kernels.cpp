#include "exec/registered_kernels.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/shared_memory.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "sandbox/process.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_listed = std::size_t{4} << 20;
constexpr std::string_view is_good = "kernels";  // worker/kernel_listing.hpp
constexpr std::size_t most_printed = 1 << 16;

ProcessPlan plan_for(const fs::path& worker, const fs::path& library, int listing) {
  ProcessPlan plan;
  const std::string beside = variable("LD_LIBRARY_PATH");
  plan.argv = {worker.string(), "--kernels", library.string()};
  plan.environment = {"LC_ALL=C", "LD_LIBRARY_PATH=" + beside};
  plan.directory = library.parent_path();
  plan.fds = {listing};
  plan.limits = {std::uint64_t{8} << 30, most_listed, 256, 256, 0};
  plan.forbid_fork = true;
  plan.isolation = best_isolation();
  plan.files.readable = system_libraries();
  plan.files.readable.push_back(worker);
  plan.files.readable.push_back(plan.directory);
  for (const std::string_view folder : split(beside, ':')) {
    if (!folder.empty()) plan.files.readable.emplace_back(folder);
  }
  return plan;
}

// The texts in order; "" beyond the last.
class Texts {
 public:
  explicit Texts(std::string_view all) : rest_(all) {}

  std::string next() {
    const std::size_t end = rest_.find('\0');
    if (end == rest_.npos) return "";
    const std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }

 private:
  std::string_view rest_;
};

// "&call_my_add<&::my::native::add>" → "my::native::add"
std::string symbol_in(std::string_view call) {
  constexpr std::string_view before = "<&::";
  const std::size_t begin = call.find(before);
  if (begin == call.npos || !call.ends_with('>')) return "";
  call.remove_prefix(begin + before.size());
  call.remove_suffix(1);
  return std::string(call);
}

// Last line of the output, which says why a program ends.
std::string said(const RunResult& run) {
  const std::string_view text = trim(run.output);
  return text.empty() ? "" : ": " + printable(text.substr(text.rfind('\n') + 1));
}

// `begins`: the listing is not empty.
std::string problem_of(const RunResult& run, bool begins, std::chrono::milliseconds limit) {
  const auto seconds = std::chrono::duration<double>(limit).count();
  if (run.timed_out) return fmt::format("it is not loaded after {} s{}", seconds, said(run));
  if (run.out_of_memory) return "it takes too much memory to be loaded";
  const bool is_whole = run.status.exited && run.status.code == 0 && begins;
  if (is_whole) return "";
  return fmt::format("the process that loads it {}{}", describe(run.status), said(run));
}

}  // namespace

RegisteredKernels registered_kernels(const fs::path& worker, const fs::path& library,
                                     std::chrono::milliseconds limit) {
  RegisteredKernels found;
  SharedMemory listing("kbench kernels", most_listed);
  listing.seal_size();
  const RunResult run =
      run_process(plan_for(worker, fs::canonical(library), listing.fd()), limit, most_printed);
  const std::string_view all(reinterpret_cast<const char*>(listing.data()), listing.size());
  Texts texts(all);
  const std::string first = texts.next();
  found.problem = problem_of(run, !first.empty(), limit);
  if (found.problem.empty() && find_invalid_utf8(all) != all.npos)
    found.problem = "what it registers is no text in UTF-8";
  if (found.problem.empty() && first != is_good) found.problem = printable(first);
  if (!found.problem.empty()) return found;
  for (std::string op = texts.next(); !op.empty(); op = texts.next()) {
    RegisteredKernel& one = found.kernels.emplace_back();
    one.op = printable(op);
    one.key = printable(texts.next());
    one.symbol = printable(symbol_in(texts.next()));
    one.where = printable(texts.next());
  }
  return found;
}

}  // namespace kbench
