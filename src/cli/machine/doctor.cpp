// kbench doctor: this machine's identity, facilities and peaks.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/installation.hpp"
#include "base/text.hpp"
#include "cli/machine/cache.hpp"
#include "cli/machine/facilities.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/terminal.hpp"
#include "judge/equipment.hpp"
#include "measure/machine/identity.hpp"
#include "measure/machine/peaks.hpp"
#include "report/tables.hpp"

namespace kbench {
namespace {

using Json = nlohmann::ordered_json;

struct DoctorOptions {
  bool measure = false;
  bool setup = false;
  std::string format = "text";
};

std::optional<MeasuredPeaks> measure(int cores) {
  const StageEvents stages = shown({});
  const StageSpan span(stages, {"machine"});
  const auto step_begins = [](std::size_t step, std::size_t steps) {
    step == 1 ? progress().expect(steps) : progress().advance(1);
  };
  return MeasuredPeaks{measure_peaks(peak_sizes(), cores, step_begins), cores, timestamp_now()};
}

// "1.49 T", "167 G": a count a second, without its unit.
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

// Contents of the command's output.
struct Report {
  std::string machine;
  Equipment equipment;
  std::vector<Facility> facilities;
  UserCaches caches;
  std::optional<std::uint64_t> cached_bytes;  // absent: the caches keep nothing
  std::optional<MeasuredPeaks> measured;
};

std::string state_text(const Facility& one) {
  if (one.is_here || one.found.empty()) return one.is_here ? one.found : one.without;
  return fmt::format("{} ({})", one.without, one.found);
}

std::string facilities_text(const std::vector<Facility>& facilities) {
  std::vector<std::vector<Cell>> rows;
  for (const Facility& one : facilities)
    rows.push_back({{one.title}, {one.is_here ? "yes" : "no"}, {state_text(one)}});
  return align({{"what"}, {"here"}, {"where it is, or what is missing without it"}}, rows);
}

std::string caches_text(const Report& report) {
  const std::string root = printable(report.caches.root.string());
  if (!report.cached_bytes) return root + ": cannot be written";
  return fmt::format("{}: {} of {}", root, human_bytes(static_cast<double>(*report.cached_bytes)),
                     human_bytes(static_cast<double>(limit_of(report.caches))));
}

std::string text_of(const Report& report) {
  const std::string setup = setup_text(report.facilities);
  const int cores = report.equipment.cores;
  return fmt::format(
      "machine  {}, {}\ncaches   {}\njudging  {}\n\n{}\n{}peaks    {}", report.machine,
      counted(static_cast<std::size_t>(cores), "core"), caches_text(report),
      judging_text(report.facilities), facilities_text(report.facilities),
      setup.empty() ? "" : "to get what is missing:\n" + setup + "\n",
      report.measured ? peaks_text(*report.measured) : "not measured: kbench doctor --measure\n");
}

Json json_of(const Facility& one) {
  return {{"name", one.name},   {"required", one.is_required}, {"here", one.is_here},
          {"found", one.found}, {"without", one.without},      {"commands", one.commands}};
}

std::string json_of(const Report& report) {
  const Equipment& equipment = report.equipment;
  Json facilities = Json::array();
  for (const Facility& one : report.facilities) facilities.push_back(json_of(one));
  const Json out = {
      {"machine", report.machine},
      {"cores", equipment.cores},
      {"isolation", letter(equipment.isolation)},
      {"can_judge", can_judge(report.facilities)},
      {"facilities", facilities},
      {"caches",
       {{"path", report.caches.root.string()},
        {"bytes", report.cached_bytes ? Json(*report.cached_bytes) : Json()},
        {"limit_bytes", limit_of(report.caches)}}},
      {"peaks", report.measured ? Json::parse(write_peaks(*report.measured)) : Json()}};
  return out.dump(2) + "\n";
}

std::string written(const Report& report, const DoctorOptions& options) {
  if (options.setup) return setup_text(report.facilities);
  return options.format == "json" ? json_of(report) : text_of(report);
}

std::optional<std::uint64_t> bytes_in(std::initializer_list<const Cache*> caches) {
  std::uint64_t bytes = 0;
  for (const Cache* cache : caches) {
    if (!cache->usable()) return std::nullopt;
    bytes += cache->use().bytes;
  }
  return bytes;
}

int doctor(const DoctorOptions& options) {
  const auto caches = user_caches();
  if (!caches) return exit_input;
  Cache builds(caches->builds, caches->build_limits);
  Cache answers(caches->answers, caches->answer_limits);
  Cache peaks(caches->peaks, caches->peak_limits);
  Report report{
      cpu_model(), find_equipment(installation().programs, builds, answers), {}, *caches, {}, {}};
  report.facilities = facilities_of(report.equipment);
  const int cores = report.equipment.cores;
  report.measured = options.measure ? measure(cores) : find_peaks(peaks, cores);
  report.cached_bytes = bytes_in({&builds, &answers, &peaks});
  print(written(report, options));
  if (options.measure) keep_peaks(peaks, *report.measured);
  const std::string problem = options.measure ? peaks.problem() : "";
  if (!problem.empty()) say_error("kbench", "what was measured cannot be kept: " + problem);
  return problem.empty() && can_judge(report.facilities) ? exit_good : exit_environment;
}

}  // namespace

std::function<int()> declare_doctor(CommandLine line) {
  auto options = std::make_shared<DoctorOptions>();
  line.add_flag("--measure", options->measure,
                "Measure what memory and arithmetic reach on this machine, and keep it: times are "
                "then put beside it");
  line.add_option("--format FORMAT", options->format, "text or json").one_of({"text", "json"});
  line.add_flag("--setup", options->setup,
                "Print the commands that get what is missing, and nothing else; run none")
      .excludes("--format")
      .excludes("--measure");
  return [options] { return doctor(*options); };
}

}  // namespace kbench
