// Runs Python that came with foreign files as references run: by kbench-torch, in its sandbox.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "reference/evaluator.hpp"

namespace kbench {

class ModuleProbe {
 public:
  ModuleProbe();
  // The tensors that run() of the text returns, one for each name. Of another outcome than ok the
  // message says why, that there is no kbench-torch among it.
  ReferenceAnswer run(const std::string& text, const std::vector<std::string>& outputs);

 private:
  std::atomic<bool> never_{false};
  ReferenceEvaluator evaluator_;
};

}  // namespace kbench
