#include <gtest/gtest.h>

#include <set>

#include "schema/record_origin.hpp"

namespace kbench {
namespace {

Basis labelled_basis() {
  return {"d", "w", "s", "g++ 12", {"-O3", "-DA=1"}, "m", std::nullopt, {}};
}

TEST(RecordLabel, EachPartOfItCounts) {
  std::set<std::string> keys = {basis_key(labelled_basis())};
  std::string Basis::*const texts[] = {&Basis::definition, &Basis::workload, &Basis::solution,
                                       &Basis::machine};
  for (std::string Basis::*const text : texts) {
    Basis basis = labelled_basis();
    basis.*text += "x";
    keys.insert(basis_key(basis));
  }
  Basis basis = labelled_basis();
  basis.compiler.reset();
  keys.insert(basis_key(basis));
  basis.flags.clear();
  keys.insert(basis_key(basis));
  basis.prepare = "setup";
  keys.insert(basis_key(basis));
  EXPECT_EQ(keys.size(), 8u);
}

}  // namespace
}  // namespace kbench
