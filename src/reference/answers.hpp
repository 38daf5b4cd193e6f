// kbench-torch's answers on disk, by everything that they rest on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/cache.hpp"
#include "base/shared_memory.hpp"
#include "problem/reference_protocol.hpp"
#include "problem/tensor_view.hpp"

namespace kbench {

// Where answers are kept, and for which machine: another processor may round otherwise.
struct AnswerStore {
  Cache* cache = nullptr;  // none: nothing is kept
  std::string machine;
  bool is_shared = false;  // with other machines, whose files lie elsewhere
};

// What kbench-torch said, beside the memory that came with it.
struct Said {
  std::string torch_version;
  Evaluator evaluator = Evaluator::libtorch;
  std::string reply;  // as it was sent
};

struct KeptAnswer {
  Said said;
  SharedMemory memory;  // begins with the reply's memory; mapped, not copied
};

// Changes whenever another kbench-torch would answer: it, its part for Python, or the LibTorch they
// were built with. `by_content`: whatever machine they lie on, which takes as long as reading them.
std::string evaluator_identity(const std::filesystem::path& kbench_torch, bool by_content = false);

// SHA-256 over all that an answer rests on: the request but for its limits (an answer within them
// is the same without), what made its tensors or else their bytes, the evaluator, the machine.
std::string answer_key(ReferenceRequest request, const Inputs& inputs, const std::string& evaluator,
                       const std::string& machine);

std::optional<KeptAnswer> find_answer(const Cache& cache, const std::string& key);
void keep_answer(Cache& cache, const std::string& key, const Said& said,
                 const SharedMemory& memory);

}  // namespace kbench
