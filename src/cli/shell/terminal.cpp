#include "cli/shell/terminal.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/system.hpp"
#include "base/text.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/progress.hpp"

namespace kbench {
namespace {

Terminal state;

// The log of -v: what stages did, on stderr. Messages below a warning are formatted with -v alone.
void start_log() {
  const auto logger = spdlog::stderr_logger_st("kbench");
  logger->set_pattern("[%H:%M:%S.%e] %v");
  logger->set_level(spdlog::level::debug);
  spdlog::set_default_logger(logger);
}

bool wants_colour(std::string_view choice, int fd) {
  if (choice != "auto") return choice == "always";
  const std::string term = variable("TERM");
  const bool dumb = term.empty() || term == "dumb";
  return variable("NO_COLOR").empty() && !dumb && ::isatty(fd) == 1;
}

int width_of(int fd) {
  const std::string columns = variable("COLUMNS");
  if (!columns.empty()) return std::max(20, std::atoi(columns.c_str()));
  winsize size{};
  const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 0;
}

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EPIPE) std::_Exit(128 + 13);  // SIGPIPE would have ended it so
    if (n < 0) fail_by_errno("cannot write the output");
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

// Writes the C1 controls, which JSON may hold as they are, as JSON's escapes: a terminal obeys
// them.
void write_to(int fd, std::string_view text) {
  if (text.find('\xc2') == text.npos || ::isatty(fd) == 0) return write_all(fd, text);
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto next = static_cast<unsigned char>(at + 1 < text.size() ? text[at + 1] : 0);
    const bool is_control = text[at] == '\xc2' && next >= 0x80 && next < 0xa0;
    if (is_control)
      out += fmt::format("\\u{:04x}", next), ++at;
    else
      out += text[at];
  }
  write_all(fd, out);
}

}  // namespace

const Terminal& terminal() { return state; }

bool is_read_by_agent() {
  if (::isatty(STDOUT_FILENO) == 1) return false;
  const char* const names[] = {"AI_AGENT", "CLAUDECODE", "CODEX_SANDBOX"};
  return std::any_of(std::begin(names), std::end(names),
                     [](const char* name) { return !variable(name).empty(); });
}

void set_terminal(const GlobalOptions& options) {
  state.colour_out = wants_colour(options.colour, STDOUT_FILENO);
  state.colour_err = wants_colour(options.colour, STDERR_FILENO);
  state.quiet = options.quiet;
  state.verbose = options.verbose;
  state.errors_in_json = options.errors == "json";
  state.progress = !options.quiet && !options.verbose && ::isatty(STDERR_FILENO) == 1;
  state.width = width_of(STDOUT_FILENO);
  if (options.verbose) start_log();
}

void print(std::string_view text) {
  progress().beside([&] { write_to(STDOUT_FILENO, text); });
}

void tell(std::string_view text) {
  if (!state.quiet) progress().beside([&] { write_to(STDERR_FILENO, text); });
}

namespace {

std::string text_of(const Diagnostic& diagnostic) {
  if (!terminal().errors_in_json) return render(diagnostic, terminal().colour_err);
  const Where& where = diagnostic.where;
  const nlohmann::ordered_json object = {{"level", level_name(diagnostic.level)},
                                         {"error", diagnostic.message},
                                         {"hint", diagnostic.hint},
                                         {"place",
                                          {{"path", where.file},
                                           {"line", where.line},
                                           {"column", where.column},
                                           {"pointer", where.pointer}}}};
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace

void say(const Diagnostic& diagnostic) {
  progress().beside([&] { fmt::print(stderr, "{}", text_of(diagnostic)); });
}

void say_error(std::string_view command, std::string_view message, std::string_view hint) {
  if (terminal().errors_in_json)
    return say({Level::error, {}, std::string(message), std::string(hint)});
  std::string text = fmt::format("{}: error: {}\n", command, printable_lines(message));
  if (!hint.empty()) text += fmt::format("  hint: {}\n", printable_lines(hint));
  progress().beside([&] { fmt::print(stderr, "{}", text); });
}

void ReportPrinter::print(const Diagnostics& reports) {
  for (const Diagnostic& report : reports.items()) {
    const bool wanted =
        report.level == Level::error || (!terminal().quiet && report.level == Level::warning);
    if (wanted && printed_.insert(render(report, false)).second) say(report);
  }
}

int exit_after(const Diagnostics& diagnostics, int otherwise) {
  for (const Diagnostic& one : diagnostics.items()) say(one);
  const bool is_input = diagnostics.errors() > 0 && otherwise != exit_environment;
  return is_input ? static_cast<int>(exit_input) : otherwise;
}

namespace {

std::atomic<bool> is_interrupted{false};
std::atomic<bool> has_nothing_in_hand{false};

void on_interrupt(int) {
  const std::string_view text =
      has_nothing_in_hand
          ? "\n"
          : "\nkbench: interrupted: the record in hand is finished; once more ends at once\n";
  is_interrupted = true;
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody reads it
}

}  // namespace

const std::atomic<bool>& interrupted() { return is_interrupted; }

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = &on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

void stop_work() { is_interrupted = true; }

void set_idle(bool is_idle) { has_nothing_in_hand = is_idle; }

}  // namespace kbench
