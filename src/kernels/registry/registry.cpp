#include "kernels/registry/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "build/gpu/architecture.hpp"
#include "kernels/registry/lookup.hpp"
#include "schema/names.hpp"
#include "schema/place.hpp"

namespace kbench {
namespace {

bool same_place(const Implementation& a, const Implementation& b) {
  if (a.competes && b.competes) return false;
  return same_operation(a.operation, b.operation) && a.platform == b.platform &&
         a.backend == b.backend && a.priority == b.priority && a.key == b.key &&
         a.conditions == b.conditions;
}

}  // namespace

void Registry::add(Implementation implementation, bool replace, Diagnostics& diagnostics) {
  const auto other = std::find_if(all_.begin(), all_.end(), [&](const Implementation& one) {
    return same_place(one, implementation);
  });
  if (other == all_.end()) {
    all_.push_back(std::move(implementation));
  } else if (replace) {
    *other = std::move(implementation);
  } else {
    diagnostics.error(
        implementation.where,
        fmt::format("{} has {} registered already, for the same {} on {}", implementation.operation,
                    other->symbol, implementation.key ? "tensors" : "calls",
                    text(implementation.backend)),
        fmt::format("the other one: {}; kbench kernels … --replace takes the later of the two",
                    short_place(other->where)));
  }
}

bool Registry::holds(const Implementation& implementation) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Implementation& one) {
    const Where& where = one.where;
    return same_place(one, implementation) && where.file == implementation.where.file &&
           where.line == implementation.where.line && where.column == implementation.where.column;
  });
}

std::vector<std::string> Registry::operations() const {
  std::set<std::string> names;
  for (const Implementation& one : all_) names.insert(one.operation);
  return {names.begin(), names.end()};
}

std::vector<const Implementation*> Registry::implementations(const std::string& operation) const {
  std::vector<const Implementation*> found;
  for (const Implementation& one : all_)
    if (same_operation(one.operation, operation)) found.push_back(&one);
  std::stable_sort(
      found.begin(), found.end(),
      [](const Implementation* a, const Implementation* b) { return a->priority > b->priority; });
  return found;
}

Resolution Registry::resolve(const Query& query) const {
  Resolution resolution;
  std::vector<const Implementation*> serving;
  std::vector<Considered> skipped;
  std::vector<const Implementation*> all = implementations(query.operation);
  for (const Implementation* one : implementations(query.op)) all.push_back(one);
  for (const Implementation* one : all) {
    std::string why = why_skipped(*one, query);
    if (why.empty()) {
      serving.push_back(one);
    } else {
      skipped.push_back({one, std::move(why)});
    }
  }
  std::stable_sort(
      serving.begin(), serving.end(),
      [](const Implementation* a, const Implementation* b) { return goes_before(*a, *b); });
  std::stable_sort(skipped.begin(), skipped.end(), [&](const Considered& a, const Considered& b) {
    return agreement(*a.implementation, query) > agreement(*b.implementation, query);
  });
  for (const Implementation* one : serving) resolution.candidates.push_back({one, ""});
  resolution.candidates.insert(resolution.candidates.end(), skipped.begin(), skipped.end());
  if (!serving.empty()) {
    resolution.chosen = serving.front();
    resolution.is_exact = serving.front()->key.has_value();
  }
  return resolution;
}

Miss miss_of(const Registry& registry, const Query& query, const Resolution& resolution) {
  Miss miss;
  miss.requested = requested_text(query);
  for (const Considered& one : resolution.candidates)
    miss.available.push_back(text(*one.implementation));
  if (!resolution.candidates.empty()) {
    miss.difference = resolution.candidates.front().skipped;
    return miss;
  }
  const std::vector<std::string> known = registry.operations();
  const std::string near = near_operators(query.operation, known);
  miss.difference = fmt::format("nothing is registered for {}", query.operation);
  if (!near.empty()) miss.difference += "; " + near;
  return miss;
}

namespace {

// Solutions in Python run where their targets say.
std::string device_of(const Solution& solution, const Platform* platform) {
  if (platform == nullptr || platform->backend != "any")
    return std::string(platform == nullptr ? "any" : platform->backend);
  const auto& targets = solution.spec.target_hardware;
  const auto count = [&](std::string_view device) {
    return std::count_if(targets.begin(), targets.end(), [&](const std::string& one) {
      return lower(one) == device ||
             (device == "gpu" && gpu::names_gpu(std::vector<std::string>{one}));
    });
  };
  for (const std::string_view device : {"cpu", "gpu", "tpu", "mps"})
    if (!targets.empty() && count(device) == std::ssize(targets)) return std::string(device);
  return "any";
}

}  // namespace

Implementation implementation_of(const Stored<Solution>& stored, const KernelSettings& said) {
  const Solution& solution = stored.record;
  Implementation one;
  one.operation = solution.definition;
  one.platform = said.platform.value_or(std::string(name_of(solution.spec.language)));
  const Platform* const platform = find_platform(one.platform);
  one.backend = said.backend.value_or(Backend{device_of(solution, platform), ""});
  one.priority = said.priority.value_or(0);
  one.conditions = said.conditions;
  one.symbol = solution.name;
  one.competes = true;
  one.where = {stored.path, stored.line, 0, "", ""};
  return one;
}

Implementation implementation_of(const OperatorEntry& entry, const Kernel& kernel,
                                 std::optional<KernelKey> key) {
  Implementation one;
  one.operation = ops::full_name(entry.schema.name);
  one.platform = kernel.platform;
  one.backend = kernel.backend;
  one.priority = kernel.priority;
  one.key = std::move(key);
  one.conditions = kernel.conditions;
  one.symbol = kernel.symbol;
  one.outputs = entry.schema.out.size();
  one.where = kernel.where;
  return one;
}

std::vector<Implementation> implementations_of(const KernelLibrary& library) {
  std::vector<Implementation> all;
  for (const OperatorEntry& entry : library.operators) {
    for (const Kernel& kernel : entry.kernels) {
      if (kernel.is_default) all.push_back(implementation_of(entry, kernel, std::nullopt));
      for (const KernelKey& key : kernel.keys) all.push_back(implementation_of(entry, kernel, key));
    }
  }
  return all;
}

KernelLibrary without_replaced(KernelLibrary library, const Registry& registry) {
  for (OperatorEntry& entry : library.operators) {
    const auto is_replaced = [&](const Kernel& kernel, const std::optional<KernelKey>& key) {
      return !registry.holds(implementation_of(entry, kernel, key));
    };
    for (Kernel& kernel : entry.kernels) {
      kernel.is_default = kernel.is_default && !is_replaced(kernel, std::nullopt);
      std::erase_if(kernel.keys, [&](const KernelKey& key) { return is_replaced(kernel, key); });
    }
    std::erase_if(entry.kernels,
                  [](const Kernel& one) { return !one.is_default && one.keys.empty(); });
  }
  std::erase_if(library.operators, [](const OperatorEntry& one) { return one.kernels.empty(); });
  return library;
}

}  // namespace kbench
