// Operators that PyTorch has: native_functions.yaml, which the package torch brings along.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "kernels/operators/schema.hpp"

namespace kbench::ops {

struct KnownOperator {
  Schema schema;
  int line = 0;              // line of the entry
  std::string derived_from;  // "" for an operator that is written there itself
};

class Catalogue {
 public:
  // Reads the names; a schema is read when it is asked for. `tags`: tags.yaml, which stands beside
  // the file; without it any tag counts as known.
  explicit Catalogue(Source source, const Source& tags = {});

  // Finds "add.out", or "aten::add.out"; nullopt where there is none, or it cannot be read.
  std::optional<KnownOperator> find(std::string_view name) const;
  // Returns every name, such as "add.out".
  std::vector<std::string> names() const;
  // Returns the overloads of a name such as "add": add.Tensor, add.out, …
  std::vector<std::string> overloads(std::string_view base) const;
  // Finds the overload that takes what the schema takes, outputs aside, and returns what it writes:
  // "mul.Tensor" for mul.out; nullopt where there is none.
  std::optional<Schema> functional_of(const Schema& schema) const;
  // Tells whether the entry of an operator has the tag: "pointwise" of "mul.out".
  bool has_tag(std::string_view name, std::string_view tag) const;
  // Returns the tags that operators have: "core", "pointwise".
  const std::vector<std::string>& tags() const { return tags_; }

 private:
  struct Entry {
    std::size_t begin = 0;  // first byte of the schema in the file
    std::size_t length = 0;
    int line = 0;
    bool is_derived = false;  // the schema is that of the operator it is derived from
  };

  Source source_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<std::string> tags_;
};

// Catalogue of the LibTorch that is found (base/python.hpp), read once; nullptr where that is not
// part of a Python package.
const Catalogue* installed_catalogue();

// Variants of an operator that PyTorch derives instead of writing them down: `autogen` in
// native_functions.yaml. Source: torchgen/native_function_generation.py of PyTorch 2.15.

// Returns the variant that writes its results to `out` arguments: "f(Tensor x) -> Tensor" →
// "f.out(Tensor x, *, Tensor(a!) out) -> Tensor(a!)"; nullopt for a schema that has such arguments,
// and for one that returns no tensor and does not write self.
std::optional<Schema> out_variant(const Schema& schema);

// Returns the variant that writes nothing and returns what the schema writes.
Schema functional_variant(const Schema& schema);

}  // namespace kbench::ops
