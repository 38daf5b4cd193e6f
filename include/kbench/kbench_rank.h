/* SPDX-License-Identifier: Apache-2.0
 * Which rank of a sharded call this is, and how ranks exchange what they have. For functions that
 * `kbench shard` calls as run_sharded: they have the arguments of run, each tensor being the rank's
 * part of it. C and C++. Every rank calls the same functions in the same order with the same sizes;
 * who does not makes them fail on all ranks, with a text that says who did what.
 * Where the host is not kbench, or kbench runs the function alone, there is one rank: 0 of 1.
 *
 *   #include "kbench_rank.h"
 *   void run_sharded(kbench::Tensor a, kbench::Tensor b, kbench::Tensor c) {
 *     const kbench::Rank rank;
 *     ...                                       // this rank's part of the sums
 *     rank.reduce_scatter(sums, c.data<float>(), c.numel());
 *   }
 */
#ifndef KBENCH_RANK_H_
#define KBENCH_RANK_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Numbers that are added up or compared. */
#define KBENCH_RANK_FLOAT32 0
#define KBENCH_RANK_FLOAT64 1
#define KBENCH_RANK_INT32 2
#define KBENCH_RANK_INT64 3

#define KBENCH_RANK_SUM 0
#define KBENCH_RANK_MAX 1

/* Functions return NULL, or why they have failed: a text that lives as long as the process. Input
 * and output may be the same memory, but for all_gather and reduce_scatter, where one is a part of
 * the other. Sums are taken in the order of ranks: all ranks have the same bits. */
struct KbenchRank {
  int32_t version; /* 1; later versions have further members at the end */
  int32_t rank;    /* 0 to size - 1 */
  int32_t size;
  int32_t reserved;
  const char* axis; /* "M", "H_q,H_kv": what is cut */
  const char* (*barrier)(void);
  /* whole[r * bytes] is rank r's part. */
  const char* (*all_gather)(const void* part, void* whole, uint64_t bytes);
  /* whole has size * count numbers; part gets the rank's count of the sums (or maxima) of all. */
  const char* (*reduce_scatter)(const void* whole, void* part, uint64_t count, int32_t type,
                                int32_t op);
  const char* (*all_reduce)(const void* mine, void* all, uint64_t count, int32_t type, int32_t op);
};

#ifdef __cplusplus
extern "C" {
#endif
/* Null where the host is not kbench. */
__attribute__((weak)) const struct KbenchRank* KbenchRankOfCall(void);
#ifdef __cplusplus
}

#include <stdexcept>

namespace kbench {

/* The same; what fails throws std::runtime_error, which becomes the call's error. */
class Rank {
 public:
  Rank() : rank_(KbenchRankOfCall == nullptr ? nullptr : KbenchRankOfCall()) {}

  int rank() const { return rank_ == nullptr ? 0 : rank_->rank; }
  int size() const { return rank_ == nullptr ? 1 : rank_->size; }
  const char* axis() const { return rank_ == nullptr ? "" : rank_->axis; }

  void barrier() const {
    if (rank_ != nullptr) check(rank_->barrier());
  }
  template <typename T>
  void all_gather(const T* part, T* whole, int64_t count) const {
    const uint64_t bytes = static_cast<uint64_t>(count) * sizeof(T);
    if (rank_ != nullptr) return check(rank_->all_gather(part, whole, bytes));
    memmove(whole, part, bytes);
  }
  template <typename T>
  void reduce_scatter(const T* whole, T* part, int64_t count, int op = KBENCH_RANK_SUM) const {
    if (rank_ != nullptr)
      return check(
          rank_->reduce_scatter(whole, part, static_cast<uint64_t>(count), type_of(part), op));
    memmove(part, whole, static_cast<uint64_t>(count) * sizeof(T));
  }
  template <typename T>
  void all_reduce(const T* mine, T* all, int64_t count, int op = KBENCH_RANK_SUM) const {
    if (rank_ != nullptr)
      return check(rank_->all_reduce(mine, all, static_cast<uint64_t>(count), type_of(all), op));
    memmove(all, mine, static_cast<uint64_t>(count) * sizeof(T));
  }

 private:
  static void check(const char* failure) {
    if (failure != nullptr) throw std::runtime_error(failure);
  }
  static int32_t type_of(const float*) { return KBENCH_RANK_FLOAT32; }
  static int32_t type_of(const double*) { return KBENCH_RANK_FLOAT64; }
  static int32_t type_of(const int32_t*) { return KBENCH_RANK_INT32; }
  static int32_t type_of(const int64_t*) { return KBENCH_RANK_INT64; }

  const KbenchRank* rank_;
};

}  // namespace kbench
#endif /* __cplusplus */

#endif /* KBENCH_RANK_H_ */
