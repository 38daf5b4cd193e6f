// Configurations among which a search looks. make_space.hpp makes them of conditions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schema/configuration.hpp"

namespace kbench {

struct SpaceParameter {
  std::string name;
  std::vector<ParameterValue> values;  // values, at least one, all different
};

enum class Neighbourhood {
  adjacent,  // one parameter takes the value before or behind its own, as they are declared
  any,       // one parameter takes any other value
};

// Configurations have numbers from 0 on, in the order of declaration: the last parameter changes
// fastest.
class Space {
 public:
  Space() = default;
  // `codes` of configurations rise: their digits, in the mixed base of the numbers of values, are
  // the numbers of the values.
  Space(std::vector<SpaceParameter> parameters, std::vector<std::uint64_t> codes);

  std::uint32_t size() const { return static_cast<std::uint32_t>(codes_.size()); }
  const std::vector<SpaceParameter>& parameters() const { return parameters_; }

  Configuration configuration(std::uint32_t number) const;
  // Returns nullopt where it is none of these.
  std::optional<std::uint32_t> number(const Configuration& configuration) const;

  // Returns the number of the value that a parameter has there.
  std::uint32_t value(std::uint32_t number, std::size_t parameter) const {
    return static_cast<std::uint32_t>(codes_[number] / strides_[parameter] %
                                      parameters_[parameter].values.size());
  }
  // Returns the configuration that differs in that alone, where it is one of these.
  std::optional<std::uint32_t> with_value(std::uint32_t number, std::size_t parameter,
                                          std::uint32_t value) const;

  // Returns the numbers of its neighbours, rising.
  std::vector<std::uint32_t> neighbours(std::uint32_t number, Neighbourhood neighbourhood) const;

 private:
  std::optional<std::uint32_t> find(std::uint64_t code) const;

  std::vector<SpaceParameter> parameters_;
  std::vector<std::uint64_t> strides_;  // strides of each parameter's digit
  std::vector<std::uint64_t> codes_;
};

// Returns the strides of digits in the mixed base of these numbers of values, the last one being 1;
// nullopt where the product of all is beyond 2^63.
std::optional<std::vector<std::uint64_t>> strides_of(std::span<const SpaceParameter> parameters);

// Makes a space of given configurations, such as those of a recorded search; nullopt where one of
// them has a value that its parameter has not, or where the product of all values is beyond 2^63.
std::optional<Space> space_of(std::vector<SpaceParameter> parameters,
                              std::span<const Configuration> configurations);

}  // namespace kbench
