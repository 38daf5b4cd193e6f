// Key of a tuned configuration: docs/tuned-store.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "build/builder.hpp"
#include "exec/gpus.hpp"
#include "kernels/registry/methods.hpp"
#include "kernels/registry/tunables.hpp"
#include "measure/machine/identity.hpp"
#include "problem/problem.hpp"
#include "schema/definition.hpp"
#include "schema/solution.hpp"
#include "schema/tuned_entry.hpp"

namespace kbench {

// Solution whose configuration it is, and its problem.
struct TuningSubject {
  const Definition& definition;
  const Solution& solution;  // Solution without a configuration of its own
  const Tunables& tunables;
  const Problem& problem;
  const Methods& methods;  // methods that its sidecar declares
};

// Purpose of the function whose configuration is asked for.
struct TuningPurpose {
  std::string method = "run";
  std::string context;  // "sharded", or ""
  std::string direction = "fwd";
  std::string objective = "time";
  std::optional<ShardPart> shard;
};

// Returns the purpose of a function by itself: "fwd", which is run's; or "bwd" or "fwd+bwd", whose
// configuration is that of vjp and of the forward pass that belongs to it.
TuningPurpose tuning_purpose(std::string_view direction, std::string_view objective = "time");

// Machine and toolchain for which it was tuned.
struct TuningPlace {
  OrderedMap<std::string> machine;
  OrderedMap<std::string> compiled;
};

// Returns the parts of a processor of which a kernel uses so many threads, or of a GPU.
OrderedMap<std::string> machine_parts(const CpuFingerprint& cpu, int threads);
OrderedMap<std::string> machine_parts(const Gpu& gpu);

// Returns the compiler and its flags, but for macros of a configuration, so that it must have none;
// empty for Solutions that are not compiled. The cache of the toolchain remembers what a compiler
// calls itself.
OrderedMap<std::string> compiled_parts(const Solution& solution, const Toolchain& toolchain);

TuningKey tuning_key(const TuningSubject& subject, const TuningPurpose& purpose,
                     const TuningPlace& place);

// Returns the SHA-256 of its canonical JSON: names sorted, no blanks.
std::string digest_of(const TuningKey& key);
// Returns the first 16 digits of that, which name files, labels and the user's commands.
std::string short_key(const TuningKey& key);

// Hashes the computation of a Definition: descriptions and tags do not count.
std::string tuning_digest(const Definition& definition);
// Hashes the program that runs, and the configurations that there are; name, author and description
// do not count.
std::string tuning_digest(const Solution& solution, const Tunables& tunables,
                          const Methods& methods);

// Returns the lengths that share a configuration with this one, up to the next power of two:
// "33..64" of 48; "0", "1" and "2" by themselves.
std::string pow2_bucket(std::int64_t length);

// Returns the parts in which two keys differ, by their names in JSON: "axes", "machine".
std::vector<std::string> differing_parts(const TuningKey& a, const TuningKey& b);

}  // namespace kbench
