#include "kernels/registry/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <tuple>

#include "base/text.hpp"

namespace kbench {
namespace {

bool asks_for_platform(const Query& query) {
  return query.platform && lower(*query.platform) != "auto";
}

std::string other_platform(const Implementation& one, const Query& query) {
  if (!asks_for_platform(query) || lower(*query.platform) == one.platform) return "";
  return fmt::format("is written in {}, {} is asked for", one.platform, lower(*query.platform));
}

// Device `any` of an implementation serves every backend; in a query it asks for such ones.
std::string other_backend(const Implementation& one, const Query& query) {
  if (!query.backend || one.backend.is_any()) return "";
  const bool same_device = one.backend.device == query.backend->device;
  const bool refined = !one.backend.refinement.empty() && !query.backend->refinement.empty() &&
                       one.backend.refinement != query.backend->refinement;
  if (same_device && !refined) return "";
  return fmt::format("is for {}, {} is asked for", text(one.backend), text(*query.backend));
}

std::string cannot_run_here(const Implementation& one, const Query& query) {
  if (asks_for_platform(query) || query.backend) return "";
  return why_not_here(one.platform, one.backend, [&] { return query.host; });
}

std::string other_tensors(const Implementation& one, const Query& query) {
  if (!one.key) return "";
  if (!query.key) return "is for certain tensors, and none are given";
  if (matches(*one.key, *query.key, one.outputs)) return "";
  return first_difference(*one.key, *query.key);
}

std::string other_calls(const Implementation& one, const Query& query) {
  CallFacts facts = with_facts(query.facts, implementation_facts(one.platform, one.backend));
  for (const auto& [axis, length] : query.axes) facts[axis] = length;
  return broken_condition(one.conditions, facts);
}

using Filter = std::string (*)(const Implementation&, const Query&);
constexpr Filter filters[] = {&other_platform, &other_backend, &cannot_run_here, &other_tensors,
                              &other_calls};

std::size_t equal_parts(const std::optional<KernelKey>& a, const std::optional<KernelKey>& b) {
  std::size_t count = 0;
  if (!a || !b) return count;
  for (std::size_t i = 0; i < std::min(a->size(), b->size()); ++i) {
    count += (*a)[i].scalar_type == (*b)[i].scalar_type;
    count += (*a)[i].dim_order == (*b)[i].dim_order;
  }
  return count;
}

std::size_t constrained(const std::optional<KernelKey>& key) {
  std::size_t count = 0;
  if (!key) return 0;
  for (const TensorMeta& meta : *key)
    count += meta.scalar_type.has_value() + meta.dim_order.has_value() + meta.is_none;
  return count;
}

auto rank(const Implementation& one) {
  return std::tuple{-one.priority, -static_cast<long>(constrained(one.key)), one.backend.is_any(),
                    -refinement_order(one.backend)};
}

}  // namespace

std::string first_difference(const KernelKey& wanted, const KernelKey& has) {
  for (std::size_t i = 0; i < std::min(wanted.size(), has.size()); ++i) {
    if (!matches(wanted[i], has[i]))
      return fmt::format("tensor {}: {} is served, {} is given", i, human_text(wanted[i]),
                         human_text(has[i]));
  }
  return fmt::format("is for {} tensors, {} are given", wanted.size(), has.size());
}

std::string near_operators(const std::string& name, const std::vector<std::string>& known) {
  std::vector<std::string> overloads;
  std::copy_if(known.begin(), known.end(), std::back_inserter(overloads),
               [packet = ops::packet_name(name)](const std::string& one) {
                 return ops::packet_name(one) == packet;
               });
  if (!overloads.empty()) return "its overloads are " + join(overloads, ", ");
  // Nearest names are sought whole, then without the overload, then without the namespace.
  const auto base = [](const std::string& one) {
    const std::string packet = ops::packet_name(one);
    const std::size_t colons = packet.rfind("::");
    return colons == packet.npos ? packet : packet.substr(colons + 2);
  };
  for (const std::function<std::string(const std::string&)>& part :
       {std::function([](const std::string& one) { return one; }),
        std::function([](const std::string& one) { return ops::packet_name(one); }),
        std::function(base)}) {
    std::vector<std::string> parts;
    std::transform(known.begin(), known.end(), std::back_inserter(parts), part);
    const std::string found = nearest(part(name), parts);
    const auto at = std::find(parts.begin(), parts.end(), found) - parts.begin();
    if (!found.empty())
      return fmt::format("did you mean \"{}\"?", known[static_cast<std::size_t>(at)]);
  }
  return "";
}

bool same_operation(std::string_view a, std::string_view b) {
  const bool is_operator = a.find("::") != std::string_view::npos;
  return is_operator ? a == b : lower(a) == lower(b);
}

std::string why_skipped(const Implementation& implementation, const Query& query) {
  for (const Filter filter : filters)
    if (std::string why = filter(implementation, query); !why.empty()) return why;
  return "";
}

std::pair<std::size_t, std::size_t> agreement(const Implementation& one, const Query& query) {
  const auto passed = std::count_if(std::begin(filters), std::end(filters),
                                    [&](const Filter f) { return f(one, query).empty(); });
  return {static_cast<std::size_t>(passed), equal_parts(one.key, query.key)};
}

std::string text(const Implementation& implementation) {
  std::string out = fmt::format("{} ({}, {}", implementation.symbol, implementation.platform,
                                text(implementation.backend));
  if (implementation.key) out += ", " + human_text(*implementation.key);
  if (implementation.priority != 0) out += fmt::format(", priority {}", implementation.priority);
  return out + ")";
}

std::string requested_text(const Query& query) {
  std::string out = query.operation;
  if (!query.op.empty()) out += " (" + query.op + ")";
  if (query.key) out += " for " + human_text(*query.key);
  for (const auto& [axis, size] : query.axes) out += fmt::format(" {}={}", axis, number_text(size));
  if (query.platform) out += fmt::format(", platform {}", lower(*query.platform));
  if (query.backend) out += fmt::format(", backend {}", text(*query.backend));
  return out;
}

bool goes_before(const Implementation& a, const Implementation& b) { return rank(a) < rank(b); }

}  // namespace kbench
