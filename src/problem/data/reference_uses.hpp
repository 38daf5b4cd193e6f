// Notes what is done with values that have elements of inputs.
#pragma once

#include "problem/data/reference_facts.hpp"
#include "problem/data/reference_value.hpp"

namespace kbench {

class ReferenceUses {
 public:
  // Refers to `facts`.
  explicit ReferenceUses(ReferenceFacts& facts) : facts_(facts) {}

  // Notes that `value` is an index of `size` things.
  void index(const Value& value, const Size& size);
  // Notes x[lower:upper] of `size` things.
  void slice(const Value& lower, const Value& upper, const Size& size);
  // Notes that the elements of `value` sum to `size`.
  void sum(const Value& value, const Size& size);
  void store(const Value& value);
  void scatter(const Value& value);
  // Notes left op right, as two numbers are compared anywhere; `holds`: it is checked to be so.
  void comparison(const Value& left, const std::string& op, const Value& right, bool holds);
  void packed(const Value& value);
  // Notes a number that must be `size`.
  void equal(const Value& number, const Size& size);

 private:
  InputUse& use(const std::string& input) { return facts_.uses[input]; }
  void length(const Value& value, const Size& size);
  void span(const Value& lower, const Value& upper, const Size& size);
  void one_way(const Value& a, const std::string& op, const Value& b, bool holds);
  void against_all(const Value& a, const std::string& op, const Value& b);
  void checked(const Value& a, const std::string& op, const Value& b);
  void bound(const Value& value, const std::string& op, const Size& size);

  ReferenceFacts& facts_;
};

}  // namespace kbench
