// The rules' judges, for the table in rules.cpp, and what they share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/details.hpp"
#include "verdict/verdict.hpp"

namespace kbench {

Verdict judge_flashinfer_bench(const VerdictContext& context, std::span<const TensorView> outputs,
                               std::span<const TensorView> reference);

Verdict judge_kbench(const VerdictContext& context, std::span<const TensorView> outputs,
                     std::span<const TensorView> reference);

Verdict judge_kernelbench(const VerdictContext& context, std::span<const TensorView> outputs,
                          std::span<const TensorView> reference);
Verdict judge_robust_kbench(const VerdictContext& context, std::span<const TensorView> outputs,
                            std::span<const TensorView> reference);

// Returns the fault of outputs of several trials that were accepted one by one; "" if there is
// none. The limits get narrower with each trial: errors that are a little too large on average, or
// of one sign, may be seen only then.
std::string wrong_together(std::span<const Verdict> trials, double& margin);

// Ends the judging.
Verdict refuse(Status status, std::string detail);
// Refuses another shape or dtype than the reference's. `which` is the output's output_name().
std::optional<Verdict> refuse_unlike(const std::string& which, const TensorView& output,
                                     const TensorView& reference);
std::string output_name(const VerdictContext& context, std::size_t index);
// Puts the wrong elements of an output into the verdict, as a picture.
void draw_misses(Verdict& verdict, const VerdictContext& context, std::size_t index,
                 const std::vector<bool>& missed, const std::vector<std::int64_t>& shape);

// Python's max(): the first stays unless the second is greater, so that a NaN never replaces it.
double python_max(double first, double second);

// The greater one; a NaN stays: it tells of an element that no difference can be taken of.
double max_or_nan(double first, double second);

// Puts verdict.matched_ratio or verdict.margin, where there is one, into correctness.extra.
void record_extra(Verdict& verdict);

// Places of wrong elements in a tensor, in words.

// Returns what the places have in common, axis by axis: "all at index 3 of axis 0", "all in the
// last 16 of axis 1", "at every 20th index of axis 0"; "" when nothing. `missed` has an element for
// each of the tensor's, row-major.
std::string misses_text(const std::vector<bool>& missed, const std::vector<std::int64_t>& shape);

// Picture of where in an output the wrong elements lie.

// Maps the misses of the output of that name and shape; `missed` has an element for each of its,
// row-major. The last axis goes from left to right, all others from top to bottom; at most 32 lines
// of 64 characters, each for as many elements as the others, but for one.
ErrorMap error_map(const std::string& output, const std::vector<bool>& missed,
                   const std::vector<std::int64_t>& shape);

}  // namespace kbench
