// How a query is answered: filters, then an order. One row each in lookup.cpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/registry/registry.hpp"

namespace kbench {

// Names of Definitions are the same whatever the case of their letters; operators ("ns::name") are
// told apart by it, as PyTorch does.
bool same_operation(std::string_view a, std::string_view b);

// Why `implementation` does not serve `query`, "" where it does.
std::string why_skipped(const Implementation& implementation, const Query& query);

// How near an implementation is to a query: the filters that it passes, then the dtypes and dim
// orders of its key that are those of the query.
std::pair<std::size_t, std::size_t> agreement(const Implementation& implementation,
                                              const Query& query);

// For a name that none of `known` is: the overloads of its operator, or what it may be a slip of.
std::string near_operators(const std::string& name, const std::vector<std::string>& known);

// The first tensor of `has` that is not what is `wanted`.
std::string first_difference(const KernelKey& wanted, const KernelKey& has);

// For people: "mylib::native::add_out (cpp, cpu, Float[0,1])", "aten::add.out for Float[0,1]".
std::string text(const Implementation& implementation);
std::string requested_text(const Query& query);

// Whether `a` goes before `b`, which serve the same query: the higher priority, then what is for
// these tensors before what is for any, then what is for the backend before what is for any, then
// the more refined.
bool goes_before(const Implementation& a, const Implementation& b);

}  // namespace kbench
