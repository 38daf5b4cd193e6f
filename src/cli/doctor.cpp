// kbench doctor: what this machine is, and what it reaches.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/caches.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "evaluate/environment.hpp"
#include "machine/identity.hpp"
#include "machine/peaks.hpp"
#include "report/columns.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  bool measure = false;
  std::string format = "text";
};

std::optional<MeasuredPeaks> measure(int cores) {
  ProgressLine line(terminal().progress, terminal().width);
  const auto progress = [&line](std::size_t step, std::size_t steps) {
    if (step == 1) {
      line.expect(steps);
    } else {
      line.advance(1);
    }
    line.show("measuring this machine");
  };
  return MeasuredPeaks{measure_peaks(peak_sizes(), cores, progress), cores, timestamp_now()};
}

// "1.49 T", "167 G": of what is counted a second.
std::string rate_text(double rate) {
  const bool is_large = rate >= 0.9995e12;
  const double value = rate / (is_large ? 1e12 : 1e9);
  return fmt::format("{:.{}f} {}", value,
                     value < 9.995   ? 2
                     : value < 99.95 ? 1
                                     : 0,
                     is_large ? "T" : "G");
}

std::vector<Cell> row(const std::string& what, const Rate& rate, double times, const char* unit) {
  return {{what}, {rate_text(rate.one * times) + unit}, {rate_text(rate.all * times) + unit}};
}

std::string peaks_text(const MeasuredPeaks& measured) {
  const Peaks& peaks = measured.peaks;
  std::vector<std::vector<Cell>> rows = {row("float32", peaks.float32, 1, "flop/s")};
  const auto add_narrow = [&](int bits, double times) {
    if (times == 1) return;
    rows.push_back(
        row(fmt::format("{} bits, by specification", bits), peaks.float32, times, "op/s"));
  };
  add_narrow(16, peaks.times_16_bit);
  add_narrow(8, peaks.times_8_bit);
  for (const Bandwidth& bandwidth : peaks.bandwidth) {
    rows.push_back(row(human_bytes(static_cast<double>(bandwidth.bytes)) + " of data",
                       bandwidth.bytes_per_second, 1, "B/s"));
  }
  std::string when = measured.when.substr(0, 16);
  std::replace(when.begin(), when.end(), 'T', ' ');
  return fmt::format("measured {}\n\n", when) +
         align({{"at best"}, {"one core", true}, {fmt::format("all {}", measured.cores), true}},
               rows);
}

std::string text_of(int cores, const std::optional<MeasuredPeaks>& measured) {
  return fmt::format("machine  {}, {} core{}\npeaks    {}", cpu_model(), cores,
                     cores == 1 ? "" : "s",
                     measured ? peaks_text(*measured) : "not measured: kbench doctor --measure\n");
}

std::string json_of(int cores, const std::optional<MeasuredPeaks>& measured) {
  const Json out = {{"machine", cpu_model()},
                    {"cores", cores},
                    {"peaks", measured ? Json::parse(write_peaks(*measured)) : Json()}};
  return out.dump(2) + "\n";
}

int doctor(const Options& options) {
  const auto caches = user_caches();
  if (!caches) return exit_input;
  Cache cache(caches->peaks, caches->peak_limits);
  const int cores = core_count();
  auto measured = options.measure ? measure(cores) : find_peaks(cache, cores);
  print(options.format == "json" ? json_of(cores, measured) : text_of(cores, measured));
  if (!options.measure) return exit_good;
  keep_peaks(cache, *measured);
  const std::string problem = cache.problem();
  if (problem.empty()) return exit_good;
  fmt::print(stderr, "kbench: error: what was measured cannot be kept: {}\n", problem);
  return exit_environment;
}

}  // namespace

std::function<int()> declare_doctor(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_flag("--measure", options->measure,
               "Measure what memory and arithmetic reach on this machine, and keep it: times are "
               "then put beside it");
  app.add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->option_text("FORMAT");
  return [options] { return doctor(*options); };
}

}  // namespace kbench
