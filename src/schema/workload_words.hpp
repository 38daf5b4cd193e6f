// The words by which a command line names workloads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schema/containers.hpp"
#include "schema/trace.hpp"

namespace kbench {

// "batch=4" or "batch=4,seq_len=128", as tables name workloads.
bool is_lengths(std::string_view word);

// Whether a workload has all the lengths of such a word.
bool has_lengths(const Workload& workload, std::string_view word);

// Whether a word is the beginning of its uuid, or lengths that it has.
bool is_named_by(const Workload& workload, std::string_view word);

// Lengths of axes for people: "M=64,N=128".
std::string lengths_text(const OrderedMap<std::int64_t>& axes, std::string_view between = ",");

}  // namespace kbench
