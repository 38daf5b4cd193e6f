// Ranges that profilers of NVIDIA's show around a candidate's calls, with the label of these. The
// protocol between a program and the profiler is NVTX 3's ("NVTX", nvtxInitDefs.h), of which this
// is the part that is needed: its headers are in no package that kbench installs.
#pragma once

#include <string>

namespace kbench::cuda {

// What the judge says in the worker's environment, and what profilers say there themselves.
constexpr const char* label_variable = "KBENCH_LABEL";
constexpr const char* injection_variable = "NVTX_INJECTION64_PATH";

class Nvtx {
 public:
  // Ranges are nothing where `label` or `library` is "", or the library is no profiler's.
  Nvtx(std::string label, const std::string& library);
  // Takes the label and the library from the environment.
  Nvtx();

  bool is_watched() const { return push_ != nullptr; }
  void push() const {
    if (push_ != nullptr) push_(label_.c_str());
  }
  void pop() const {
    if (push_ != nullptr) pop_();
  }

 private:
  std::string label_;
  int (*push_)(const char* message) = nullptr;
  int (*pop_)() = nullptr;
};

// As long as it lives.
class NvtxRange {
 public:
  explicit NvtxRange(const Nvtx& nvtx) : nvtx_(nvtx) { nvtx_.push(); }
  ~NvtxRange() { nvtx_.pop(); }
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;

 private:
  const Nvtx& nvtx_;
};

}  // namespace kbench::cuda
