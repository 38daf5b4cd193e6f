// Runs Python that came with foreign files as references run: by kbench-torch, in its sandbox.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/work_folder.hpp"
#include "reference/evaluator.hpp"

namespace kbench {

class ModuleRunner {
 public:
  ModuleRunner();
  // Runs run() of "text" for "outputs", names; JSON with "why" it fails, or "", the "line" of the
  // foreign text and whether that "is_slow". The one output is a "text" of its bytes; or, where the
  // question says "is_stored", all are in a file of tensors, its "path".
  std::string answer(const json::Value& question);
  // Has these files; nullptr where none was made.
  std::shared_ptr<WorkFolder> made() const { return made_; }

 private:
  ReferenceAnswer run(const std::string& text, const std::vector<std::string>& outputs);
  std::string store(const ReferenceAnswer& answer, const std::vector<std::string>& names);

  std::atomic<bool> never_{false};
  ReferenceEvaluator evaluator_;
  std::shared_ptr<WorkFolder> made_;
  int files_ = 0;
};

}  // namespace kbench
