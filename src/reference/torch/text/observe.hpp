// Statements whose value nothing reads. LibTorch's compiler drops them, be they endless, failing or
// hungry; Python runs them. Each is handed to an operator that does nothing and may not be dropped.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "reference/torch/text/draft.hpp"
#include "reference/torch/text/scopes.hpp"

// NOLINTNEXTLINE: declared here so that LibTorch's headers stay out of this one
namespace torch::jit {
struct GraphFunction;
struct SourceRange;
struct SugaredValue;
struct Value;
}  // namespace torch::jit

namespace kbench {

inline constexpr std::string_view observe_name = "__observe";

// In every function, after all other rewriting: f(x) → __observe(f(x)); y = f(x), where y is never
// read → y = __observe(f(x)); while c: → while __observe(c):
void observe_statements(Draft& draft, const std::vector<Scope>& scopes);

// The meaning of __observe: its argument, as it is.
std::shared_ptr<torch::jit::SugaredValue> observe_value();

// A value as it is, but what is written to it is kept: to the compiler a constant is another one
// wherever it is used, so it would leave out writing to one.
torch::jit::Value* keep_writes(torch::jit::Value* value, torch::jit::GraphFunction& m,
                               const torch::jit::SourceRange& loc);

}  // namespace kbench
