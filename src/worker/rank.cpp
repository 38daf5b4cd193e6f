#include "worker/rank.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/parallel.hpp"
#include "problem/rank_protocol.hpp"
#include "worker/mapping.hpp"

namespace kbench::worker {
namespace {

// Layout of include/kbench/kbench_rank.h, which tests/worker/rank_test.cpp compares.
struct RankOfCall {
  std::int32_t version, rank, size, reserved;
  const char* axis;
  const char* (*barrier)();
  const char* (*all_gather)(const void* part, void* whole, std::uint64_t bytes);
  const char* (*reduce_scatter)(const void* whole, void* part, std::uint64_t count,
                                std::int32_t type, std::int32_t op);
  const char* (*all_reduce)(const void* mine, void* all, std::uint64_t count, std::int32_t type,
                            std::int32_t op);
};

enum Type : std::int32_t { float32, float64, int32, int64 };
enum Op : std::int32_t { sum, max };
constexpr std::uint64_t type_bytes[] = {4, 8, 4, 8};

Hub* hub = nullptr;  // nullptr: there is no other rank
bool may_meet = false;
std::array<char, 64> axis;
std::array<char, 1024> failure;  // text of the last one
std::uint64_t step = 0;          // number of the next one within this command

template <class... Args>
const char* fail(const char* format, Args... args) {
  std::snprintf(failure.data(), failure.size(), format, args...);
  return failure.data();
}

RankOfCall& of_call();

std::string text_of(const Posting& posting) {
  std::string text(meeting_name(posting.meeting));
  if (posting.meeting == Meeting::barrier) return text;
  constexpr const char* types[] = {" of float32", " of float64", " of int32", " of int64"};
  constexpr const char* ops[] = {" sums", " maxima"};
  if (posting.meeting != Meeting::all_gather && posting.type >= 0 && posting.type <= int64)
    text += std::string(types[posting.type]) + ops[posting.op == max ? 1 : 0];
  return text + ", " + std::to_string(posting.bytes) + " bytes a rank";
}

void ring() {
  __atomic_add_fetch(&hub->bell.rung, 1, __ATOMIC_ACQ_REL);
  ::syscall(SYS_futex, &hub->bell.rung, FUTEX_WAKE, 1 << 30, nullptr, nullptr, 0);
}

// Returns a rank whose call is over before `step`; -1: some have still to come, -2: all are there.
int who_is_missing() {
  bool all = true;
  for (int rank = 0; rank < of_call().size; ++rank) {
    const Seat& seat = hub->seats[rank];
    const bool is_gone = __atomic_load_n(&seat.gone, __ATOMIC_ACQUIRE) != 0;
    if (__atomic_load_n(&seat.arrived, __ATOMIC_ACQUIRE) > step) continue;
    if (is_gone) return rank;
    all = false;
  }
  return all ? -2 : -1;
}

// Polls for a moment, then sleeps until a bell rings; now and then it polls all the same.
const char* wait_for_others(const Posting& asked) {
  constexpr int looks = 2000;
  const timespec moment{0, 50'000'000};
  for (int i = 0;; ++i) {
    const std::uint32_t heard = __atomic_load_n(&hub->bell.rung, __ATOMIC_ACQUIRE);
    const int missing = who_is_missing();
    if (missing == -2) return nullptr;
    if (missing >= 0)
      return fail("LEFT ALONE: in its collective %llu (%s) waits for rank %d, whose call is over",
                  static_cast<unsigned long long>(hub->seats[of_call().rank].meetings),
                  text_of(asked).c_str(), missing);
    if (i < looks)
      pause_briefly();
    else
      ::syscall(SYS_futex, &hub->bell.rung, FUTEX_WAIT, heard, &moment, nullptr, 0);
  }
}

// Arrives with this rank's part of the step in its place; returns when all others' are there.
const char* take_step(const Posting& asked) {
  Seat& seat = hub->seats[of_call().rank];
  seat.posted[step % 2] = asked;
  __atomic_store_n(&seat.whereabouts, Whereabouts::waiting, __ATOMIC_RELEASE);
  __atomic_store_n(&seat.arrived, step + 1, __ATOMIC_RELEASE);
  ring();
  // A rank left alone did all it could until then: its seat goes on to say that it waits.
  if (const char* why = wait_for_others(asked)) return why;
  __atomic_store_n(&seat.whereabouts, Whereabouts::away, __ATOMIC_RELEASE);
  for (int rank = 0; rank < of_call().size; ++rank) {
    const Posting& other = hub->seats[rank].posted[step % 2];
    if (other == asked) continue;
    return fail("MISMATCH: in collective %llu of the call rank %d calls %s, rank %d %s",
                static_cast<unsigned long long>(seat.meetings), of_call().rank,
                text_of(asked).c_str(), rank, text_of(other).c_str());
  }
  ++step;
  return nullptr;
}

const char* no_others() {
  return fail("%s",
              "no collectives: the ranks run one after the other; --transport processes runs them "
              "at once");
}

// Begins a meeting; nullptr unless it cannot.
const char* begin() {
  if (!may_meet) return no_others();
  Seat& seat = hub->seats[of_call().rank];
  __atomic_store_n(&seat.meetings, seat.meetings + 1, __ATOMIC_RELEASE);
  return nullptr;
}

bool is_alone() { return of_call().size == 1; }

const char* barrier() {
  if (is_alone()) return nullptr;
  if (const char* why = begin()) return why;
  return take_step({Meeting::barrier, 0, 0, 0, 0});
}

const char* all_gather(const void* part, void* whole, std::uint64_t bytes) {
  const int size = of_call().size;
  if (is_alone()) return std::memmove(whole, part, bytes), nullptr;
  if (const char* why = begin()) return why;
  const Posting asked{Meeting::all_gather, 0, 0, 0, bytes};
  std::uint64_t done = 0;
  do {  // ranks with 0 bytes meet the others all the same
    const std::uint64_t now = step;
    const std::uint64_t count = std::min<std::uint64_t>(exchange_bytes, bytes - done);
    std::memcpy(exchange_of(*hub, of_call().rank, now), static_cast<const char*>(part) + done,
                count);
    if (const char* why = take_step(asked)) return why;
    for (int rank = 0; rank < size; ++rank)
      std::memcpy(static_cast<char*>(whole) + static_cast<std::uint64_t>(rank) * bytes + done,
                  exchange_of(*hub, rank, now), count);
    done += count;
  } while (done < bytes);
  return nullptr;
}

// Reduces in the order of ranks, so that all of them get the same bits. `at`: index at which this
// rank's part begins in the elements that each gave.
template <class T>
void reduce(std::uint64_t now, std::uint64_t at, std::uint64_t count, std::int32_t op, void* to) {
  T* const out = static_cast<T*>(to);
  for (int rank = 0; rank < of_call().size; ++rank) {
    const T* const given = reinterpret_cast<const T*>(exchange_of(*hub, rank, now)) + at;
    for (std::uint64_t i = 0; i < count; ++i) {
      if (rank == 0)
        out[i] = given[i];
      else if (op == sum)
        out[i] += given[i];
      else if (given[i] > out[i] || given[i] != given[i])  // a NaN stays one
        out[i] = given[i];
    }
  }
}

void reduce(std::uint64_t now, std::uint64_t at, std::uint64_t count, const Posting& asked,
            void* to) {
  switch (asked.type) {
    case float32:
      return reduce<float>(now, at, count, asked.op, to);
    case float64:
      return reduce<double>(now, at, count, asked.op, to);
    case int32:
      return reduce<std::int32_t>(now, at, count, asked.op, to);
    default:
      return reduce<std::int64_t>(now, at, count, asked.op, to);
  }
}

const char* check_reduction(std::int32_t type, std::int32_t op) {
  if (type < float32 || type > int64) return fail("%d is no type of kbench_rank.h", type);
  return op == sum || op == max ? nullptr : fail("%d is no operation of kbench_rank.h", op);
}

const char* all_reduce(const void* mine, void* all, std::uint64_t count, std::int32_t type,
                       std::int32_t op) {
  if (const char* why = check_reduction(type, op)) return why;
  const std::uint64_t width = type_bytes[type];
  if (is_alone()) return std::memmove(all, mine, count * width), nullptr;
  if (const char* why = begin()) return why;
  const Posting asked{Meeting::all_reduce, type, op, 0, count * width};
  std::uint64_t done = 0;
  do {
    const std::uint64_t now = step;
    const std::uint64_t some = std::min(exchange_bytes / width, count - done);
    std::memcpy(exchange_of(*hub, of_call().rank, now),
                static_cast<const char*>(mine) + done * width, some * width);
    if (const char* why = take_step(asked)) return why;
    reduce(now, 0, some, asked, static_cast<char*>(all) + done * width);
    done += some;
  } while (done < count);
  return nullptr;
}

const char* reduce_scatter(const void* whole, void* part, std::uint64_t count, std::int32_t type,
                           std::int32_t op) {
  if (const char* why = check_reduction(type, op)) return why;
  const std::uint64_t width = type_bytes[type];
  if (is_alone()) return std::memmove(part, whole, count * width), nullptr;
  if (const char* why = begin()) return why;
  const Posting asked{Meeting::reduce_scatter, type, op, 0, count * width};
  const auto size = static_cast<std::uint64_t>(of_call().size);
  const auto rank = static_cast<std::uint64_t>(of_call().rank);
  std::uint64_t done = 0;
  do {
    const std::uint64_t now = step;
    const std::uint64_t some = std::min(exchange_bytes / width / size, count - done);
    std::byte* const place = exchange_of(*hub, of_call().rank, now);
    for (std::uint64_t other = 0; other < size; ++other)
      std::memcpy(place + other * some * width,
                  static_cast<const char*>(whole) + (other * count + done) * width, some * width);
    if (const char* why = take_step(asked)) return why;
    reduce(now, rank * some, some, asked, static_cast<char*>(part) + done * width);
    done += some;
  } while (done < count);
  return nullptr;
}

RankOfCall& of_call() {
  static RankOfCall rank{1,          0, 1, 0, axis.data(), &barrier, &all_gather, &reduce_scatter,
                         &all_reduce};
  return rank;
}

}  // namespace

bool take_seat(const Control& control) {
  if (control.rank_count <= 0) return true;
  if (control.rank_count > max_ranks || control.rank < 0 || control.rank >= control.rank_count)
    return false;
  of_call().rank = control.rank;
  of_call().size = control.rank_count;
  std::snprintf(axis.data(), axis.size(), "%s", control.rank_axis);
  may_meet = control.ranks_meet != 0;
  hub = static_cast<Hub*>(map_whole(rank_fd, hub_bytes(control.rank_count), true));
  ::close(rank_fd);
  return hub != nullptr;
}

void begin_meetings() { step = 0; }

}  // namespace kbench::worker

// Function that a candidate finds by its name: kbench_rank.h.
extern "C" __attribute__((visibility("default"))) const void* KbenchRankOfCall() {
  return &kbench::worker::of_call();
}
