// Reads a reference statement by statement, with what is known of each name, and notes what it does
// with its inputs. A loop's body is read twice, so that what the first round leaves is known.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "problem/data/reference_facts.hpp"
#include "problem/data/reference_text.hpp"
#include "problem/data/reference_uses.hpp"
#include "problem/data/reference_value.hpp"
#include "schema/definition.hpp"

namespace kbench {

// The arguments of a call; `self` of x.f(…) is the first.
struct ReferenceArguments {
  std::vector<Value> positional;
  std::map<std::string, Value> named;

  // Returns an argument by its place or one of its names.
  Value get(std::size_t place, std::initializer_list<const char*> names) const;
};

class ReferenceReader {
 public:
  // Refers to both.
  ReferenceReader(const Definition& definition, ReferenceFacts& facts)
      : definition_(definition), facts_(facts), uses_(facts) {}

  void read(const std::vector<ReferenceStatement>& statements);

 private:
  using Environment = std::map<std::string, Value>;
  using Expression = python::Expression;

  // ---- statements: reference_reader.cpp ----
  void read_block(const std::vector<ReferenceStatement>& block);
  void read_statement(const ReferenceStatement& statement);
  void read_assignment(const ReferenceStatement& statement);
  void read_loop(const ReferenceStatement& statement);
  void read_recurrence(const ReferenceStatement& statement);
  void read_kept(const Expression& e, const std::string& state);
  void read_condition(const ReferenceStatement& statement);
  void read_return(const ReferenceStatement& statement);
  void read_function(const ReferenceStatement& function, const ReferenceArguments& arguments);
  void read_unused(const std::vector<ReferenceStatement>& statements, const Environment& inputs);
  Value returned_by(const ReferenceStatement& function, const ReferenceArguments& arguments);
  void assign(const Expression& target, const Value& value, bool augmented);
  void name(const std::string& name, const Value& value);
  void assume(const Expression& e, bool truth);
  void assume_comparison(const Expression& e, bool truth);

  // ---- expressions: reference_expressions.cpp ----
  Value evaluate(const Expression& e);
  Value comparison(const Expression& e);
  Value unary(const Expression& e);
  Value sequence(const Expression& e);
  Value comprehension(const Expression& e);
  Value attribute(const Expression& e);
  Value known_name(const Expression& e);
  Value binary(const Expression& e);
  Value conditional(const Expression& e);
  Value loaded(const Expression& e);
  enum class Access { load, store, update };
  Value subscript(const Expression& e, Access access);
  Value indexed(const Value& base, const std::vector<const Expression*>& parts, Access access);
  // State of x[…], part by part.
  struct Indexing {
    std::vector<Size> sizes;  // lengths of x's axes
    std::size_t at = 0;       // the axis of x at hand
    std::vector<Size> shape;  // shape of what is taken
    bool known = false;       // the shape is known
    bool alone = false;       // the first part alone is no slice
    bool gathers = false;     // a tensor of indices was among the parts
    Size size() const { return at < sizes.size() ? sizes[at] : Size(); }
  };
  void take_index(const Value& index, Access access, Indexing& state);
  void note_store(const Value& index, Access access, bool is_alone);
  Size sliced(const Expression& e, const Size& size);
  // Returns what a loop over this has in each round.
  Value element_of(const Value& value) const;

  // ---- calls: reference_calls.cpp ----
  Value call(const Expression& e);
  Value builtin(const std::string& name, const ReferenceArguments& arguments);
  Value range_of(const ReferenceArguments& arguments);
  Value converted(const ReferenceArguments& arguments);
  Value length_of(const ReferenceArguments& arguments);
  Value zipped(const ReferenceArguments& arguments);
  Value enumerated(const ReferenceArguments& arguments);
  Value listed(const ReferenceArguments& arguments);
  Value library(const std::string& name, const ReferenceArguments& arguments, bool is_method);
  void note_stores(const std::string& name, const Value& index);
  Value gathered(const std::string& name, const ReferenceArguments& arguments);
  Value class_call(const std::string& name, const ReferenceArguments& arguments);
  Value split_call(const ReferenceArguments& arguments);
  Value repeated(const ReferenceArguments& arguments);
  Value narrowed(const ReferenceArguments& arguments);
  Value gated(const std::string& name, const Value& first);
  Value drawn(const ReferenceArguments& arguments);
  Value shifted_right(const ReferenceArguments& arguments);
  Value summed_up(const ReferenceArguments& arguments);
  Value differences(const ReferenceArguments& arguments);

  // ---- shapes: reference_shapes.cpp ----
  Value reshaped(const ReferenceArguments& arguments);
  Value size_of(const ReferenceArguments& arguments);
  Value element_count_of(const ReferenceArguments& arguments);
  Value item_of(const ReferenceArguments& arguments);
  Value joined(const ReferenceArguments& arguments);
  static Value arranged(const std::string& name, const ReferenceArguments& arguments,
                        bool is_method);
  static Value made(const std::string& name, const ReferenceArguments& arguments, bool is_method);

  const Definition& definition_;
  ReferenceFacts& facts_;
  ReferenceUses uses_;
  Environment names_;  // names of the function at hand
  std::map<std::string, const ReferenceStatement*> functions_;
  std::set<const ReferenceStatement*> read_;
  std::optional<Value> returned_;  // value of the function at hand
  int depth_ = 0;                  // depth of calls
  int steps_ = 0;                  // statements read
  int loops_ = 0;                  // loops that are being read
};

// The length of dimension `dimension` (a number's text, from the end below 0); "" unknown.
Size dimension_of(const Value& value, const Value& dimension);
std::optional<std::size_t> place_of(const Value& value, const Value& dimension);

}  // namespace kbench
