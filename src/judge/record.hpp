// Statements of a record about itself: what its verdict rests on, how it was judged, and a digest
// over all. A run that resumes knows by them what is done, `kbench replay` what still holds.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "build/builder.hpp"
#include "exec/gpus.hpp"
#include "judge/job.hpp"
#include "judge/run.hpp"
#include "schema/trace.hpp"

namespace kbench {

// SHA-256 of all that the record says, defaults filled in.
std::string content_hash(const Definition& definition);
std::string content_hash(const Solution& solution);
// Hashes a workload and the tensors that it names below `root`: their dtype, shape and bytes; one
// that cannot be read counts as absent.
std::string content_hash(const Workload& workload, const std::filesystem::path& root);

// Fills in, for every record of a run, what its verdict rests on.
class Recorder {
 public:
  Recorder(const RunOptions& options, std::filesystem::path root);

  void set_compiler(const std::string& version);  // "" where there is none
  void set_nvcc(const std::string& version);      // compiles CUDA; "" where there is none
  void set_nvrtc(const std::string& version);     // compiles solutions that are a single kernel
  void set_device(const std::string& architecture) { toolchain_.device = architecture; }
  // Takes the version once kbench-torch, or a kept answer, has said it.
  void set_torch_version(const std::string& version);

  // Fills in rule, seed, isolation level, hashes, settings and environment of a judgement of this
  // pair; of a solution in CUDA on `gpu`, or nowhere.
  void stamp(Evaluation& evaluation, const Job& job, const Solution& solution,
             const Gpu* gpu = nullptr);
  // Returns the label of the calls of this pair's record: schema/record_signature.hpp.
  std::string label(const Job& job, const Solution& solution, const Gpu* gpu = nullptr);
  // Tells whether a record stands for what a judgement now would: nothing that it rests on is
  // another since. True for the record of another program, which does not say.
  bool stands(const Evaluation& record, const Job& job, const Solution& solution,
              const Gpu* gpu = nullptr);

 private:
  Basis basis_of(const Job& job, const Solution& solution, const Gpu* gpu);
  const std::string& device_compiler(const Solution& solution) const;
  void stamp_gpu(Evaluation& evaluation, const Solution& solution, const Gpu* gpu) const;
  const std::string& hash(const Definition& definition);
  const std::string& hash(const Solution& solution);
  const std::string& hash(const Workload& workload);  // its tensors are read once for all solutions

  const RunOptions& options_;
  std::filesystem::path root_;
  Toolchain toolchain_;  // toolchain that flags depend on: sanitizers and device
  Environment environment_;
  std::string machine_;
  std::string nvcc_, nvrtc_;
  std::map<const void*, std::string> hashes_;  // hashes of a run's records, by their place
};

// Applies the settings that a record was judged with, as a run takes them; what it does not say
// keeps its value. False for a record that does not have them.
bool apply_settings(const Trace& record, RunOptions& options);

// Tells the recorder which compilers these jobs need: asking one takes a moment.
void note_compilers(const std::vector<Job>& jobs, const Toolchain& toolchain, Recorder& recorder);

}  // namespace kbench
