#include "measure/machine/peaks.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/system.hpp"
#include "measure/machine/best_rate.hpp"
#include "measure/machine/identity.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view form = "kbench peaks 1";  // another form, another key
constexpr std::uint64_t smallest = std::uint64_t{1} << 14;
constexpr std::uint64_t least_of_largest = std::uint64_t{1} << 26;
constexpr std::uint64_t most_of_largest = std::uint64_t{1} << 31;

template <class Measure>
Rate rate_of(int cores, const Measure& measure) {
  const double one = measure(1);
  return {one, cores == 1 ? one : std::max(one, measure(cores))};
}

std::string key_of(int cores) {
  return sha256_hex(fmt::format("{}\n{}\n{}\n", form, machine_identity(), cores));
}

Json json_of(const Rate& rate) { return {{"one", rate.one}, {"all", rate.all}}; }

Rate rate_from(const Json& value) {
  return {value.at("one").get<double>(), value.at("all").get<double>()};
}

}  // namespace

std::vector<std::uint64_t> peak_sizes() {
  const auto cache = static_cast<std::uint64_t>(std::max(0L, ::sysconf(_SC_LEVEL3_CACHE_SIZE)));
  const std::uint64_t largest =
      std::min({std::max(4 * cache, least_of_largest), most_of_largest, total_memory() / 4});
  std::vector<std::uint64_t> sizes = {smallest};
  while (sizes.back() < largest) sizes.push_back(2 * sizes.back());
  return sizes;
}

// Smaller data are no slower than larger ones; where they seem so, somebody disturbed.
Peaks measure_peaks(const std::vector<std::uint64_t>& sizes, int cores,
                    const PeakProgress& progress) {
  const std::size_t steps = sizes.size() + 1;
  std::size_t step = 0;
  const auto begin_step = [&] {
    if (progress) progress(++step, steps);
  };
  Peaks peaks;
  begin_step();
  peaks.float32 = rate_of(cores, &best_arithmetic);
  const NarrowMultiples narrow = narrow_multiples(cpu_features());
  peaks.times_16_bit = narrow.in_16_bit;
  peaks.times_8_bit = narrow.in_8_bit;
  for (const std::uint64_t bytes : sizes) {
    begin_step();
    peaks.bandwidth.push_back(
        {bytes, rate_of(cores, [bytes](int t) { return best_bandwidth(bytes, t); })});
  }
  for (std::size_t i = peaks.bandwidth.size(); i-- > 1;) {
    Rate& smaller = peaks.bandwidth[i - 1].bytes_per_second;
    smaller = best_of(smaller, peaks.bandwidth[i].bytes_per_second);
  }
  return peaks;
}

std::string write_peaks(const MeasuredPeaks& measured) {
  const Peaks& peaks = measured.peaks;
  Json out = {{"measured", measured.when},
              {"cores", measured.cores},
              {"flops_per_second", {{"float32", json_of(peaks.float32)}}},
              {"times_float32", {{"16_bits", peaks.times_16_bit}, {"8_bits", peaks.times_8_bit}}},
              {"bytes_per_second", Json::array()}};
  for (const Bandwidth& bandwidth : peaks.bandwidth) {
    Json row = json_of(bandwidth.bytes_per_second);
    row["bytes"] = bandwidth.bytes;
    out["bytes_per_second"].push_back(std::move(row));
  }
  return out.dump(2) + "\n";
}

std::optional<MeasuredPeaks> read_peaks(const std::string& text) try {
  const Json in = Json::parse(text);
  MeasuredPeaks measured;
  measured.when = in.at("measured");
  measured.cores = in.at("cores");
  Peaks& peaks = measured.peaks;
  peaks.float32 = rate_from(in.at("flops_per_second").at("float32"));
  peaks.times_16_bit = in.at("times_float32").at("16_bits");
  peaks.times_8_bit = in.at("times_float32").at("8_bits");
  for (const Json& row : in.at("bytes_per_second"))
    peaks.bandwidth.push_back({row.at("bytes").get<std::uint64_t>(), rate_from(row)});
  if (peaks.bandwidth.empty()) return std::nullopt;
  return measured;
} catch (const Json::exception&) {
  return std::nullopt;
}

std::optional<MeasuredPeaks> find_peaks(const Cache& cache, int cores) {
  const auto entry = cache.find(key_of(cores));
  return entry ? read_peaks(entry->text) : std::nullopt;
}

void keep_peaks(Cache& cache, const MeasuredPeaks& measured) {
  cache.insert(key_of(measured.cores), write_peaks(measured), "");
}

}  // namespace kbench
