// SPDX-License-Identifier: Apache-2.0
// Cooperative groups of CUDA: blocks, grids of cooperative launches, tiles of a warp, and the lanes
// that came together.
#ifndef KBENCH_EMULATION_COOPERATIVE_GROUPS_H_
#define KBENCH_EMULATION_COOPERATIVE_GROUPS_H_

#include <cuda_runtime.h>

namespace cooperative_groups {

// Returns the number of a thread in its block, x first.
KB_DEVICE unsigned kb_rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
KB_DEVICE unsigned kb_block_size() { return blockDim.x * blockDim.y * blockDim.z; }

class thread_block {
 public:
  KB_DEVICE void sync(KB_FROM) const {
    kbench_emulation::block_barrier(kbench_emulation::Vote::none, false, KB_PLACE);
  }
  KB_DEVICE unsigned thread_rank() const { return kb_rank_in_block(); }
  KB_DEVICE unsigned size() const { return kb_block_size(); }
  KB_DEVICE unsigned num_threads() const { return kb_block_size(); }
  KB_DEVICE dim3 group_index() const { return blockIdx; }
  KB_DEVICE dim3 thread_index() const { return threadIdx; }
  KB_DEVICE dim3 group_dim() const { return blockDim; }
  KB_DEVICE dim3 dim_threads() const { return blockDim; }
};
KB_DEVICE thread_block this_thread_block() { return {}; }

class grid_group {
 public:
  KB_DEVICE void sync(KB_FROM) const { kbench_emulation::grid_barrier(KB_PLACE); }
  KB_DEVICE bool is_valid() const { return true; }
  KB_DEVICE unsigned long long block_rank() const {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  KB_DEVICE unsigned long long num_blocks() const {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  KB_DEVICE unsigned long long thread_rank() const {
    return block_rank() * kb_block_size() + kb_rank_in_block();
  }
  KB_DEVICE unsigned long long size() const { return num_blocks() * kb_block_size(); }
  KB_DEVICE unsigned long long num_threads() const { return size(); }
  KB_DEVICE dim3 group_dim() const { return gridDim; }
  KB_DEVICE dim3 dim_blocks() const { return gridDim; }
  KB_DEVICE dim3 block_index() const { return blockIdx; }
};
KB_DEVICE grid_group this_grid() { return {}; }

// Some lanes of a warp, whose ranks are their order.
class KbLanes {
 public:
  KB_DEVICE explicit KbLanes(unsigned mask) : mask_(mask) {}

  KB_DEVICE unsigned thread_rank() const {
    return static_cast<unsigned>(__popc(mask_ & ((1u << kbench_emulation::lane_index()) - 1)));
  }
  KB_DEVICE unsigned size() const { return static_cast<unsigned>(__popc(mask_)); }
  KB_DEVICE unsigned num_threads() const { return size(); }
  KB_DEVICE void sync(KB_FROM) const { __syncwarp(mask_, kb_file, kb_line); }
  template <typename T>
  KB_DEVICE T shfl(T value, unsigned rank, KB_FROM) const {
    return __shfl_sync(mask_, value, lane_of(rank % size()), 32, kb_file, kb_line);
  }
  template <typename T>
  KB_DEVICE T shfl_down(T value, unsigned distance, KB_FROM) const {
    const unsigned other = thread_rank() + distance;
    return __shfl_sync(mask_, value, lane_of(other < size() ? other : thread_rank()), 32, kb_file,
                       kb_line);
  }
  template <typename T>
  KB_DEVICE T shfl_up(T value, unsigned distance, KB_FROM) const {
    const unsigned rank = thread_rank();
    return __shfl_sync(mask_, value, lane_of(rank >= distance ? rank - distance : rank), 32,
                       kb_file, kb_line);
  }
  template <typename T>
  KB_DEVICE T shfl_xor(T value, unsigned distance, KB_FROM) const {
    return __shfl_sync(mask_, value, lane_of((thread_rank() ^ distance) % size()), 32, kb_file,
                       kb_line);
  }
  KB_DEVICE int any(int value, KB_FROM) const {
    return __ballot_sync(mask_, value, kb_file, kb_line) != 0;
  }
  KB_DEVICE int all(int value, KB_FROM) const {
    return __ballot_sync(mask_, value == 0, kb_file, kb_line) == 0;
  }
  KB_DEVICE unsigned ballot(int value, KB_FROM) const {
    return ranks_of(__ballot_sync(mask_, value, kb_file, kb_line));
  }
  template <typename T>
  KB_DEVICE unsigned match_any(T value, KB_FROM) const {
    return ranks_of(__match_any_sync(mask_, value, kb_file, kb_line));
  }
  template <typename T>
  KB_DEVICE unsigned match_all(T value, int& are_all, KB_FROM) const {
    return ranks_of(__match_all_sync(mask_, value, &are_all, kb_file, kb_line));
  }
  KB_DEVICE unsigned kb_mask() const { return mask_; }

 private:
  KB_DEVICE int lane_of(unsigned rank) const {
    unsigned rest = mask_;
    for (unsigned i = 0; i < rank; ++i) rest &= rest - 1;
    return __ffs(static_cast<int>(rest)) - 1;
  }
  // Maps bits of lanes to bits of ranks.
  KB_DEVICE unsigned ranks_of(unsigned lanes) const {
    unsigned ranks = 0, rank = 0;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, ++rank)
      ranks |= (lanes >> (__ffs(static_cast<int>(rest)) - 1) & 1) << rank;
    return ranks;
  }

  unsigned mask_;
};

class coalesced_group : public KbLanes {
 public:
  using KbLanes::KbLanes;
  KB_DEVICE unsigned long long meta_group_size() const { return 1; }
  KB_DEVICE unsigned long long meta_group_rank() const { return 0; }
};
KB_DEVICE coalesced_group coalesced_threads(KB_FROM) {
  return coalesced_group(kbench_emulation::active_mask(KB_PLACE));
}

// Returns the lanes of the calling thread's tile of a warp, by its rank in the block.
KB_DEVICE unsigned kb_tile_mask(unsigned size) {
  const unsigned rank = kb_rank_in_block(), first = rank % 32 / size * size;
  const unsigned left = kb_block_size() - rank / 32 * 32;  // the last warp may lack lanes
  const unsigned all = size >= 32 ? 0xffffffffu : ((1u << size) - 1) << first;
  return left >= 32 ? all : all & ((1u << left) - 1);
}

// Tile of several warps, which wait for each other at a barrier of their own.
template <unsigned kSize>
struct KbWarps {
  KB_DEVICE explicit KbWarps(unsigned) {}
  KB_DEVICE int any(int value, KB_FROM) const {
    return kbench_emulation::tile_barrier(kb_rank_in_block() / kSize, kSize,
                                          kbench_emulation::Vote::any, value != 0, KB_PLACE);
  }
  KB_DEVICE int all(int value, KB_FROM) const { return !any(!value, kb_file, kb_line); }
  KB_DEVICE void sync(KB_FROM) const { any(0, kb_file, kb_line); }
};

template <unsigned kSize, typename Parent = void>
class thread_block_tile : public std::conditional_t<(kSize > 32), KbWarps<kSize>, KbLanes> {
 public:
  KB_DEVICE thread_block_tile()
      : std::conditional_t<(kSize > 32), KbWarps<kSize>, KbLanes>(kb_tile_mask(kSize)) {}
  static_assert(kSize >= 1 && kSize <= 1024 && (kSize & (kSize - 1)) == 0,
                "a tile has 1, 2, 4 … or 1024 threads");
  static KB_DEVICE constexpr unsigned size() { return kSize; }
  static KB_DEVICE constexpr unsigned num_threads() { return kSize; }
  KB_DEVICE unsigned thread_rank() const { return kb_rank_in_block() % kSize; }
  KB_DEVICE unsigned meta_group_rank() const { return kb_rank_in_block() / kSize; }
  KB_DEVICE unsigned meta_group_size() const { return (kb_block_size() + kSize - 1) / kSize; }
};

template <unsigned kSize, typename Parent>
KB_DEVICE thread_block_tile<kSize, Parent> tiled_partition(const Parent&) {
  return {};
}
KB_DEVICE coalesced_group tiled_partition(const thread_block&, unsigned size) {
  return coalesced_group(kb_tile_mask(size));
}
template <typename Group, typename Label>
KB_DEVICE coalesced_group labeled_partition(const Group& group, Label label, KB_FROM) {
  return coalesced_group(__match_any_sync(group.kb_mask(), label, kb_file, kb_line));
}
template <typename Group>
KB_DEVICE coalesced_group binary_partition(const Group& group, bool is_in, KB_FROM) {
  return labeled_partition(group, static_cast<int>(is_in), kb_file, kb_line);
}

template <typename Group>
KB_DEVICE void sync(const Group& group, KB_FROM) {
  group.sync(kb_file, kb_line);
}
template <typename Group>
KB_DEVICE auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <typename Group>
KB_DEVICE auto group_size(const Group& group) {
  return group.size();
}

}  // namespace cooperative_groups

#endif  // KBENCH_EMULATION_COOPERATIVE_GROUPS_H_
