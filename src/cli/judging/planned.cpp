#include "cli/judging/planned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

#include "base/digest.hpp"
#include "base/file.hpp"
#include "base/words.hpp"
#include "cli/judging/run_options.hpp"
#include "cluster/shard_folder.hpp"

namespace kbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view path_options[] = {"trace", "root", "kernels", "config", "overlay"};

// Options that no plan holds. A run of a plan refuses some, takes those of the machine and of the
// output, and has its place from others.
constexpr std::string_view refused[] = {
    "save-results", "no-save-results", "resume", "rank", "gate",        "watch",
    "against",      "policy",          "junit",  "base", "allow-unrun", "allow-emulated"};
constexpr std::string_view taken[] = {"format", "rates", "trace-events", "events",
                                      "jobs",   "gpus",  "no-cache",     "sign"};
constexpr std::string_view places[] = {"plan", "shard", "out"};
// Options that a plan holds, too.
constexpr std::string_view taken_again[] = {"isolation", "require-isolation"};

std::vector<std::string> words_of(const GivenOption& option) {
  std::vector<std::string> words = {"--" + option.name};
  for (const std::string& value : option.values) words.push_back(value);
  return words;
}

std::string absolute(const std::string& path) {
  return path.empty() ? path : fs::absolute(path).lexically_normal().string();
}

std::string digest_line(const std::string& path) {
  return sha256_hex(read_file(path)) + " " + path;
}

// "3/8" is 3 and 8, "auto" is auto and nothing.
std::pair<std::string, std::string> parts_of(const std::string& word) {
  const std::size_t slash = word.find('/');
  return {word.substr(0, slash), slash == word.npos ? "" : word.substr(slash + 1)};
}

// The files that options name.
std::vector<std::string> files_of(const std::vector<GivenOption>& given) {
  std::vector<std::string> paths;
  for (const GivenOption& option : given)
    for (const std::string& value : option.values)
      if (is_one_of(option.name, path_options) && fs::is_regular_file(value))
        paths.push_back(absolute(value));
  return paths;
}

std::string path_in(const std::string& digest_line) {
  return digest_line.substr(std::min(digest_line.find(' ') + 1, digest_line.size()));
}

void check_files(const ClusterPlan& plan, Diagnostics& reports) {
  for (const std::string& line : plan.head.files) {
    const std::string path = path_in(line);
    if (!fs::is_regular_file(path) || digest_line(path) != line)
      reports.error({path}, "is another file than when the plan was made",
                    "put it back as it was, or make another plan");
  }
}

// The number that an engine gave this process; its lack is reported.
std::optional<std::int64_t> number_by_engine(Diagnostics& reports) {
  const auto given = number_of_engine();
  const auto number = given ? parse_integer(given->text) : std::nullopt;
  if (!given)
    reports.error({}, "--shard: no engine has numbered this process",
                  "KBENCH_SHARD gives its number, as do Slurm's, Kubernetes' and Open MPI's "
                  "variables");
  else if (!number)
    reports.error(
        {},
        fmt::format("--shard: {} is \"{}\", which numbers no shard", given->variable, given->text),
        "the first one is 0");
  return number;
}

// Refuses options that a stranger's plan may not have: other places to write, files of whoever runs
// it to read, --sign (no option of a plan), and weaker isolation of candidates.
void check_options(const ClusterPlan& plan, Diagnostics& reports) {
  auto ignored = std::make_shared<RunCommand>();
  std::vector<GivenOption> given;
  const std::string problem = parse_words(plan.head.options, [&](CommandLine line) {
    declare_run_options(line, *ignored);
    remove_unplanned(line);
    return [&given, line] { given = line.given(); };
  });
  if (!problem.empty()) reports.error({}, "the options of the plan: " + problem);
  const auto& known = plan.head.files;
  for (const std::string& path : files_of(given))
    if (std::none_of(known.begin(), known.end(), [&](auto& line) { return path_in(line) == path; }))
      reports.error({path}, "is no file that the plan was made with");
  check_files(plan, reports);
  for (const GivenOption& option : given)
    if (option.name == "isolation" && option.values == std::vector<std::string>{"C"})
      reports.error({}, "the plan asks for isolation level C",
                    "whoever runs it says so: --isolation C");
}

std::optional<std::int64_t> parse_count(const std::string& word) {
  constexpr std::int64_t most = 1'000'000;
  const auto count = parse_integer(word);
  return count && *count >= 1 && *count <= most ? count : std::nullopt;
}

}  // namespace

void remove_unplanned(CommandLine& line) {
  for (const auto names :
       std::initializer_list<std::span<const std::string_view>>{refused, taken, places})
    for (const std::string_view name : names)
      if (const std::string option = fmt::format("--{}", name); line.has(option))
        line.remove(option);
}

std::optional<WorkPart> read_shard(const std::string& word, std::shared_ptr<const ClusterPlan> plan,
                                   Diagnostics& reports) {
  const auto [number, count] = parts_of(word);
  const auto wrong = [&](std::string what, std::string hint) {
    reports.error({}, "--shard: " + std::move(what), std::move(hint));
    return std::nullopt;
  };
  if (plan && !count.empty())
    return wrong("the plan says how many there are", "--shard 3, or --shard auto");
  const auto of = plan ? plan->head.shards : parse_count(count);
  const auto which = number == "auto" ? number_by_engine(reports) : parse_integer(number);
  if (!which && number == "auto") return std::nullopt;
  if (!of || !which)
    return wrong(fmt::format("\"{}\" is no part of a run", word),
                 "3/8 is the fourth of eight; with --plan 3, or auto");
  if (*which < 0 || *which >= *of)
    return wrong(fmt::format("there is no shard {} of {}", *which, *of), "the first one is 0");
  return WorkPart{*which, *of, std::move(plan)};
}

std::vector<std::string> planned_options(const std::vector<GivenOption>& given) {
  std::vector<std::string> words;
  for (GivenOption option : given) {
    if (is_one_of(option.name, path_options))
      for (std::string& value : option.values) value = absolute(value);
    for (std::string& word : words_of(option)) words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::string> planned_files(const std::vector<GivenOption>& given) {
  std::vector<std::string> lines;
  for (const std::string& path : files_of(given)) lines.push_back(digest_line(path));
  return lines;
}

std::shared_ptr<RunCommand> planned_command(const ClusterPlan& plan,
                                            const std::vector<GivenOption>& given,
                                            Diagnostics& reports) {
  const std::size_t before = reports.errors();
  check_options(plan, reports);
  std::vector<std::string> words = plan.head.options;
  for (const GivenOption& option : given) {
    const std::string_view name = option.name;
    if (is_one_of(name, refused))
      reports.error({}, fmt::format("--{} goes with no plan", name));
    else if (is_one_of(name, taken) || is_one_of(name, taken_again))
      for (std::string& word : words_of(option)) words.push_back(std::move(word));
    else if (!is_one_of(name, places))
      reports.error({}, fmt::format("--{} belongs to the plan", name),
                    "kbench plan takes it; the plan's settings hold for all shards");
  }
  auto command = std::make_shared<RunCommand>();
  const std::string problem = parse_words(words, [&command](CommandLine line) {
    declare_run_options(line, *command);
    return [command, line] { command->given = given_options(line); };
  });
  if (!problem.empty()) reports.error({}, "the options of the plan: " + problem);
  return reports.errors() == before ? command : nullptr;
}

std::optional<PlannedShard> read_planned_shard(const std::string& plan_file,
                                               const std::string& shard,
                                               const std::vector<GivenOption>& given,
                                               Diagnostics& reports) {
  auto plan = read_plan(plan_file, reports);
  if (!plan) return std::nullopt;
  const auto shared = std::make_shared<const ClusterPlan>(std::move(*plan));
  auto part = read_shard(shard, shared, reports);
  auto command = planned_command(*shared, given, reports);
  if (!part || !command) return std::nullopt;
  return PlannedShard{std::move(*part), std::move(command)};
}

}  // namespace kbench
