#include "cli/shell/manual.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>

#include "base/file.hpp"
#include "base/system.hpp"
#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "judge/equipment.hpp"

namespace kbench {
namespace {

struct Line {
  std::string_view term;
  std::string_view text;
};

constexpr Line variables[] = {
    {"COLUMNS", "Width of the terminal; default: what the terminal says."},
    {"CONDA_PREFIX", "As VIRTUAL_ENV, where that says nothing."},
    {"CUDACXX",
     "nvcc, for solutions in CUDA; default: that of PATH, of CUDA_HOME, /usr/local/cuda."},
    {"CUDA_HOME", "A CUDA Toolkit."},
    {"CUDA_VISIBLE_DEVICES", "GPUs that may be used, as NVIDIA's driver takes it."},
    {"CXX",
     "Compiler of solutions in C++; default: c++, g++ or clang++, whichever is found first."},
    {"FIB_DATASET_PATH", "The trace set where neither --root nor the current folder is one."},
    {"GITHUB_STEP_SUMMARY", "File to which what is for GitHub's job summary is added."},
    {"HOME", "Holds the folder of caches where XDG_CACHE_HOME is not set."},
    {"KBENCH_CACHE", "Folder of what is kept between runs; default: XDG_CACHE_HOME/kbench."},
    {"KBENCH_CACHE_LIMIT", "Its size: bytes, or a number with K, M, G or T; default 5G."},
    {"KBENCH_CUDA_DRIVER", "NVIDIA's driver; default: libcuda.so.1."},
    {"KBENCH_CUPTI", "CUPTI, which records what a GPU does; default: that of the CUDA Toolkit."},
    {"KBENCH_EMULATION_THREADS",
     "Cores that blocks of run --emulate are spread over; default: all."},
    {"KBENCH_NVML", "NVML, which says how a GPU is; default: libnvidia-ml.so.1."},
    {"KBENCH_NVRTC", "libnvrtc, for kernels by themselves; default: that of the CUDA Toolkit."},
    {"KBENCH_SHARD", "The number of this process's shard, for --shard auto."},
    {"KBENCH_STORE",
     "A folder of builds and answers that several machines share; see docs/cluster.md."},
    {"KBENCH_TORCH", "The LibTorch, torch package or virtual environment that references use."},
    {"LD_LIBRARY_PATH", "Where a library that is listed (--so) finds those that it needs, too."},
    {"NO_COLOR", "No colours, unless --color asks for them."},
    {"NVTX_INJECTION64_PATH",
     "Of a profiler, which sets it: its library that takes ranges; see docs/stamps.md."},
    {"PATH", "Where compilers are looked for."},
    {"SLURMD_NODENAME", "Name of the node, which records of a plan have; else the host's."},
    {"SOURCE_DATE_EPOCH", "Date of manual pages that are written, in seconds since 1970."},
    {"TERM", "No colours where it is dumb."},
    {"TMPDIR", "Where folders are made in which solutions are built and work; default: /tmp."},
    {"VIRTUAL_ENV", "Where LibTorch and Python are looked for, where nothing else says."},
    {"XDG_CACHE_HOME", "Folder of caches; default: ~/.cache."}};

constexpr Line files[] = {
    {"~/.cache/kbench",
     "Built solutions, answers of references and what the machine reaches: kbench cache says how "
     "much; and what was tuned: kbench tuned."},
    {"definitions/, workloads/, solutions/, traces/", "A trace set, as FlashInfer-Bench has it."}};

// Escapes what has a meaning in roff: backslashes, and dots and quotes that begin a line. Hyphens
// become ones that can be typed.
std::string plain(std::string_view text) {
  std::string out;
  bool is_begin = true;
  for (const char c : text) {
    if (is_begin && (c == '.' || c == '\'')) out += "\\&";
    out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    is_begin = c == '\n';
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string section(std::string_view title, std::string_view body) {
  return fmt::format(".SH {}\n{}", title, body);
}

// A term, and below it, indented, what it is; `term` is roff already.
std::string item(const std::string& term, std::string_view text) {
  return fmt::format(".TP\n{}\n{}\n", term, plain(text));
}

template <class Lines>
std::string items(const Lines& lines) {
  std::string out;
  for (const Line& line : lines) out += item(bold(line.term), line.text);
  return out;
}

std::string option_term(const OptionModel& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(bold(name));
  std::string term = join(names, ", ");
  if (option.value.empty()) return term;
  return (term.empty() ? "" : term + " ") + italic(option.value);
}

std::string option_items(const CommandModel& command) {
  std::string out;
  for (const OptionModel& option : command.options) out += item(option_term(option), option.doc);
  return out;
}

std::string status_items() {
  std::string out;
  for (const auto& [status, text] : exit_statuses)
    out += item(bold(std::to_string(static_cast<int>(status))), text);
  return out;
}

// "kbench-kernels-list": the page of a command.
std::string page_name(const CommandModel& command) {
  std::string name = "kbench-" + command.name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string header(const std::string& name, const std::string& date, const std::string& version) {
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return fmt::format(".TH {} 1 {} \"kbench {}\" \"kbench\"\n", plain(title), date, plain(version));
}

std::string reference(const std::string& page, const char* end) {
  return fmt::format(".BR {} (1){}\n", plain(page), end);
}

std::string references(const std::vector<std::string>& pages) {
  std::string out;
  for (const std::string& page : pages) out += reference(page, &page == &pages.back() ? "" : ",");
  return out;
}

// Arguments behind a command's name.
std::string arguments(const ProgramModel& model, const CommandModel& command) {
  std::string out = " [" + italic("OPTION") + "...]";
  if (!verbs_of(model, command).empty())
    out += " " + italic("COMMAND") + " [" + italic("ARGUMENT") + "...]";
  for (const OptionModel& option : command.options)
    if (option.is_positional()) out += " " + italic(option.value);
  return out;
}

std::string command_text(const ProgramModel& model, const CommandModel& command) {
  std::string verbs;
  std::vector<std::string> pages = {"kbench"};
  for (const CommandModel* verb : verbs_of(model, command)) {
    verbs += item(bold(last_word(*verb)), verb->doc);
    pages.push_back(page_name(*verb));
  }
  for (const CommandModel& group : model.commands)
    if (command.name.starts_with(group.name + " ")) pages.push_back(page_name(group));
  return section("NAME", plain(page_name(command)) + " \\- " + plain(command.doc) + "\n") +
         section("SYNOPSIS", bold("kbench " + command.name) + arguments(model, command) + "\n") +
         (verbs.empty() ? "" : section("COMMANDS", verbs)) +
         section("OPTIONS", option_items(command)) + ".PP\nThose of\n" + reference("kbench", "") +
         "hold, too.\n" + section("EXIT STATUS", status_items()) +
         section("SEE ALSO", references(pages));
}

std::string program_text(const ProgramModel& model) {
  std::string commands;
  std::vector<std::string> pages;
  for (const CommandModel& command : model.commands) {
    commands += item(bold(command.name), command.doc);
    pages.push_back(page_name(command));
  }
  return section("NAME", "kbench \\- judge compute kernels\n") +
         section("SYNOPSIS", bold("kbench") + " [" + italic("OPTION") + "...] " +
                                 italic("COMMAND") + " [" + italic("ARGUMENT") + "...]\n") +
         section("DESCRIPTION", plain(model.program.doc) + "\n") + section("COMMANDS", commands) +
         section("OPTIONS", option_items(model.program)) + section("EXIT STATUS", status_items()) +
         section("ENVIRONMENT", items(variables)) + section("FILES", items(files)) +
         section("SEE ALSO", references(pages));
}

std::string today() {
  const std::string given = variable("SOURCE_DATE_EPOCH");
  if (given.empty()) return timestamp_now().substr(0, 10);
  return fmt::format("{:%Y-%m-%d}",
                     fmt::gmtime(static_cast<std::time_t>(std::atoll(given.c_str()))));
}

}  // namespace

std::vector<ManualPage> manual_pages(const ProgramModel& model, const std::string& date,
                                     const std::string& version) {
  std::vector<ManualPage> pages = {
      {"kbench.1", header("kbench", date, version) + program_text(model)}};
  for (const CommandModel& command : model.commands) {
    const std::string name = page_name(command);
    pages.push_back({name + ".1", header(name, date, version) + command_text(model, command)});
  }
  return pages;
}

std::function<int()> declare_manuals(CommandLine line, const std::string& version) {
  auto folder = std::make_shared<std::string>();
  line.add_option("folder DIR", *folder, "Where they go").required();
  return [folder, version, line] {
    for (const ManualPage& page : manual_pages(model_of(line.app()), today(), version))
      write_file(std::filesystem::path(*folder) / page.file, page.text);
    return static_cast<int>(exit_good);
  };
}

}  // namespace kbench
