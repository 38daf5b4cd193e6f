#include "tune/space.hpp"

#include <algorithm>

namespace kbench {
namespace {

std::optional<std::uint64_t> position(const SpaceParameter& parameter,
                                      const ParameterValue& value) {
  const auto at = std::find(parameter.values.begin(), parameter.values.end(), value);
  if (at == parameter.values.end()) return std::nullopt;
  return static_cast<std::uint64_t>(at - parameter.values.begin());
}

std::optional<std::uint64_t> code_of(std::span<const SpaceParameter> parameters,
                                     std::span<const std::uint64_t> strides,
                                     const Configuration& configuration) {
  std::uint64_t code = 0;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const ParameterValue* const value = configuration.find(parameters[p].name);
    const auto digit = value != nullptr ? position(parameters[p], *value) : std::nullopt;
    if (!digit) return std::nullopt;
    code += *digit * strides[p];
  }
  return code;
}

}  // namespace

std::optional<std::vector<std::uint64_t>> strides_of(std::span<const SpaceParameter> parameters) {
  std::vector<std::uint64_t> strides(parameters.size());
  std::uint64_t product = 1;
  for (std::size_t p = parameters.size(); p-- > 0;) {
    strides[p] = product;
    if (__builtin_mul_overflow(product, parameters[p].values.size(), &product) ||
        product > std::uint64_t{1} << 63)
      return std::nullopt;
  }
  return strides;
}

Space::Space(std::vector<SpaceParameter> parameters, std::vector<std::uint64_t> codes)
    : parameters_(std::move(parameters)),
      strides_(strides_of(parameters_).value()),
      codes_(std::move(codes)) {}

Configuration Space::configuration(std::uint32_t number) const {
  Configuration configuration;
  configuration.items.reserve(parameters_.size());
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const SpaceParameter& parameter = parameters_[p];
    configuration.items.emplace_back(parameter.name, parameter.values[value(number, p)]);
  }
  return configuration;
}

std::optional<std::uint32_t> Space::number(const Configuration& configuration) const {
  if (configuration.size() != parameters_.size()) return std::nullopt;
  const auto code = code_of(parameters_, strides_, configuration);
  return code ? find(*code) : std::nullopt;
}

std::optional<std::uint32_t> Space::find(std::uint64_t code) const {
  const auto at = std::lower_bound(codes_.begin(), codes_.end(), code);
  if (at == codes_.end() || *at != code) return std::nullopt;
  return static_cast<std::uint32_t>(at - codes_.begin());
}

std::optional<std::uint32_t> Space::with_value(std::uint32_t number, std::size_t parameter,
                                               std::uint32_t value) const {
  const std::uint64_t stride = strides_[parameter];
  return find(codes_[number] - stride * this->value(number, parameter) + stride * value);
}

std::vector<std::uint32_t> Space::neighbours(std::uint32_t number,
                                             Neighbourhood neighbourhood) const {
  std::vector<std::uint32_t> found;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const std::uint32_t own = value(number, p);
    const auto count = static_cast<std::uint32_t>(parameters_[p].values.size());
    const bool any = neighbourhood == Neighbourhood::any;
    const std::uint32_t from = any || own == 0 ? 0 : own - 1;
    const std::uint32_t to = any ? count : std::min(count, own + 2);
    for (std::uint32_t other = from; other < to; ++other) {
      const auto neighbour = other != own ? with_value(number, p, other) : std::nullopt;
      if (neighbour) found.push_back(*neighbour);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<Space> space_of(std::vector<SpaceParameter> parameters,
                              std::span<const Configuration> configurations) {
  const auto strides = strides_of(parameters);
  if (!strides) return std::nullopt;
  std::vector<std::uint64_t> codes;
  for (const Configuration& configuration : configurations) {
    const auto code = code_of(parameters, *strides, configuration);
    if (!code) return std::nullopt;
    codes.push_back(*code);
  }
  std::sort(codes.begin(), codes.end());
  codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
  return Space(std::move(parameters), std::move(codes));
}

}  // namespace kbench
