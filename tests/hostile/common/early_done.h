// Says that an audited call is done, as the worker would: the control block is where the shapes of
// the arguments are, and the words of the hand-over are four lines of 64 bytes, each a number and
// zeros: go, armed, done, answered.
#ifndef HOSTILE_EARLY_DONE_H_
#define HOSTILE_EARLY_DONE_H_

#include "answer.h"

inline volatile uint64_t* find_done(const kbench::DLTensor* any) {
  auto* line =
      reinterpret_cast<volatile uint64_t*>(reinterpret_cast<uintptr_t>(any->shape) & ~63ULL);
  const auto is_word = [](volatile uint64_t* at) {
    for (int i = 1; i < 8; ++i) {
      if (at[i] != 0) return false;
    }
    return true;
  };
  for (int i = 0; i < 640; ++i, line += 8) {
    if (!is_word(line) || !is_word(line + 8) || !is_word(line + 16) || !is_word(line + 24))
      continue;
    if (line[0] >> 32 != 0 && line[8] > 1 && line[24] == line[8] - 1) return line;
  }
  return nullptr;
}

// False where nobody waits for that.
inline bool say_done(const void* argument) {
  volatile uint64_t* const go = find_done(static_cast<const kbench::DLTensor*>(argument));
  if (go != nullptr) go[16] = go[0];
  return go != nullptr;
}

// Writes `early` elements of the answer, says that it is done, and the rest `milliseconds` later.
inline int early_done(const kbench::Any* args, kbench::Any* result, double share,
                      int milliseconds) {
  const auto tensor = [args](int i) {
    return kbench::Tensor(static_cast<const kbench::DLTensor*>(args[i].as_pointer));
  };
  const Answer right = answer(tensor(0), tensor(1));
  const auto early = static_cast<size_t>(share * static_cast<double>(right.size()));
  write(right, tensor(2), 0, early);
  if (say_done(args[0].as_pointer)) burn(milliseconds);
  write(right, tensor(2), early, right.size());
  *result = kbench::Any{kbench::kNone, 0, {0}};
  return 0;
}

#endif  // HOSTILE_EARLY_DONE_H_
