// The tensors of a judgement as files: inputs, outputs, and expected outputs.
#pragma once

#include <cstddef>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "judge/run.hpp"

namespace kbench {

// Writes the tensors of one solution on one workload: those of the first input set that the rule
// does not accept, else those of the one in which the solution ended, else the first set's.
class TensorDump {
 public:
  explicit TensorDump(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Tells whether nothing that is there would be written over; reports what would.
  bool is_free(Diagnostics& diagnostics) const;
  // Makes the folder. Throws std::runtime_error where it cannot be written to.
  void make_folder() const;
  // Fills in prepared, judged and finished; the files are written when it has finished.
  void watch(RunEvents& events);
  // "set 2 of 3: inputs.safetensors, …"; "" when nothing was written. Throws what kept it from
  // being written.
  const std::string& written() const;

 private:
  void keep(std::size_t trial, const std::vector<TensorView>& outputs, const Verdict& verdict);
  void write(const Trace& trace);

  std::filesystem::path folder_;
  const PreparedWorkload* workload_ = nullptr;
  std::size_t judged_ = 0;  // input sets
  std::size_t trial_ = 0;   // input set of outputs_
  bool is_wrong_ = false;   // the rule does not accept outputs_
  std::vector<TensorView> outputs_;
  std::vector<std::string> bytes_;  // memory of outputs_
  std::string written_;
  std::exception_ptr failure_;
};

}  // namespace kbench
