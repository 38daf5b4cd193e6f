// Filters, then an order, by which a query is answered. Each is a row in lookup.cpp.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/registry/registry.hpp"

namespace kbench {

// Tells whether two names are the same. Definitions may differ in the case of letters; operators
// ("ns::name") may not, as with PyTorch.
bool same_operation(std::string_view a, std::string_view b);

// Says why `implementation` does not serve `query`; "" where it does.
std::string why_skipped(const Implementation& implementation, const Query& query);

// Returns how near an implementation is to a query: the number of filters that it passes, then of
// dtypes and dim orders of its key that are those of the query.
std::pair<std::size_t, std::size_t> agreement(const Implementation& implementation,
                                              const Query& query);

// Suggests for a name that none of `known` is: the overloads of its operator, or a similar name.
std::string near_operators(const std::string& name, const std::vector<std::string>& known);

// Describes the first tensor of `has` that does not match `wanted`.
std::string first_difference(const KernelKey& wanted, const KernelKey& has);

// Texts for people: "mylib::native::add_out (cpp, cpu, Float[0,1])", "aten::add.out for
// Float[0,1]".
std::string text(const Implementation& implementation);
std::string requested_text(const Query& query);

// Tells whether `a` goes before `b`, which serve the same query: the higher priority, then the key
// with more dtypes and dim orders, then a certain backend before any, then the more refined.
bool goes_before(const Implementation& a, const Implementation& b);

}  // namespace kbench
