#include "cli/records/dump.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <variant>

#include "base/text.hpp"
#include "problem/data/safetensors.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* dump_files[] = {"inputs.safetensors", "output.safetensors",
                                      "reference.safetensors", "exact.safetensors"};

std::vector<NamedTensor> named(const Problem& problem, const std::vector<TensorView>& outputs) {
  std::vector<NamedTensor> out;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    out.push_back({problem.outputs[i].name, outputs[i]});
  return out;
}

std::string text_of(const Scalar& scalar) {
  return std::visit([](auto value) { return fmt::format("{}", value); }, scalar);
}

}  // namespace

bool TensorDump::is_free(Diagnostics& diagnostics) const {
  const std::size_t before = diagnostics.errors();
  for (const char* name : dump_files) {
    if (fs::exists(folder_ / name)) {
      diagnostics.error({(folder_ / name).string()}, "is there already",
                        "name another folder, or write over it with --force");
    }
  }
  return diagnostics.errors() == before;
}

void TensorDump::make_folder() const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!error && ::access(folder_.c_str(), W_OK | X_OK) != 0)
    error = {errno, std::generic_category()};
  if (error)
    throw std::runtime_error(
        fmt::format("{} cannot be written to: {}", folder_.string(), error.message()));
}

const std::string& TensorDump::written() const {
  if (failure_) std::rethrow_exception(failure_);
  return written_;
}

void TensorDump::watch(RunEvents& events) {
  events.prepared = [this](const PreparedWorkload& workload) { workload_ = &workload; };
  events.judged = [this](std::size_t trial, const std::vector<TensorView>& outputs,
                         const Verdict& verdict) { keep(trial, outputs, verdict); };
  events.finished = [this](const Job&, const Solution&, const Trace& trace) {
    try {
      write(trace);
    } catch (const std::exception&) {  // the verdict stands
      failure_ = std::current_exception();
    }
  };
}

void TensorDump::keep(std::size_t trial, const std::vector<TensorView>& outputs,
                      const Verdict& verdict) {
  judged_ = trial + 1;
  const bool is_passed = verdict.status == Status::passed;
  const bool is_first_random = trial == workload_->structured.size();
  if (is_wrong_ || (is_passed && !is_first_random)) return;
  is_wrong_ = !is_passed;
  trial_ = trial;
  outputs_ = outputs;
  bytes_.clear();
  for (TensorView& output : outputs_) {
    bytes_.emplace_back(reinterpret_cast<const char*>(output.data), output.bytes);
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    outputs_[i].data = reinterpret_cast<const std::byte*>(bytes_[i].data());
}

void TensorDump::write(const Trace& trace) {
  const std::vector<const Trial*> sets = judged_sets(*workload_);
  const bool has_ended = !is_wrong_ && judged_ < sets.size();
  const Trial& trial = *sets[has_ended ? judged_ : trial_];
  const std::size_t number = (has_ended ? judged_ : trial_) + 1;
  std::vector<std::pair<std::string, std::string>> notes = {
      {"definition", trace.definition},
      {"workload", trace.workload.uuid},
      {"solution", *trace.solution},
      {"status", std::string(status_name(trace.evaluation->status))},
      {"seed", std::to_string(workload_->seed)},
      {"input_set", std::to_string(number)}};
  for (const char* name : dump_files) fs::remove(folder_ / name);  // removes an earlier dump
  std::vector<std::string> files;
  const auto write_file = [&](const char* name, const auto& tensors) {
    write_safetensors(folder_ / name, tensors, notes);
    files.emplace_back(name);
  };
  if (!has_ended) write_file(dump_files[1], named(workload_->problem, outputs_));
  write_file(dump_files[2], named(workload_->problem, trial.reference.outputs));
  if (trial.reference.exact) {
    std::vector<NamedDoubles> exact;
    for (std::size_t i = 0; i < trial.reference.exact->outputs.size(); ++i) {
      const ExactTensor& tensor = trial.reference.exact->outputs[i];
      if (tensor.is_floating)
        exact.push_back({workload_->problem.outputs[i].name, tensor.shape, tensor.values});
    }
    write_file(dump_files[3], exact);
  }
  std::vector<NamedTensor> inputs;
  for (const BoundInput& input : trial.inputs.values) {
    if (input.scalar) {
      notes.emplace_back(input.name, text_of(*input.scalar));
    } else {
      inputs.push_back({input.name, input.tensor});
    }
  }
  write_file(dump_files[0], inputs);
  written_ = fmt::format("input set {} of {}: {}", number, sets.size(), join(files, ", "));
}

}  // namespace kbench
