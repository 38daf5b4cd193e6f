#include "judge/compilers.hpp"

namespace kbench {

void note_compilers(const std::vector<Job>& jobs, const Toolchain& toolchain, Recorder& recorder) {
  recorder.set_compiler(compiler_version(toolchain));
  bool any_by_nvcc = false, any_by_nvrtc = false;
  if (toolchain.emulation) return;  // it is the one of C++
  for (const Job& job : jobs)
    for (const Solution* solution : job.solutions)
      if (solution->spec.language == Language::cuda)
        (solution->spec.launch ? any_by_nvrtc : any_by_nvcc) = true;
  if (any_by_nvcc) recorder.set_nvcc(nvcc_version(toolchain));
  if (any_by_nvrtc) recorder.set_nvrtc(nvrtc_version(toolchain));
}

}  // namespace kbench
