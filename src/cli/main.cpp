// kbench: parses the global options, finds the subcommand, runs it. Everything else is elsewhere.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/confined.hpp"
#include "base/text.hpp"
#include "base/words.hpp"
#include "cli/shell/command.hpp"
#include "cli/shell/command_line.hpp"
#include "cli/shell/progress.hpp"
#include "cli/shell/terminal.hpp"
#include "cli/shell/usage.hpp"
#include "schema/record_signature.hpp"

namespace {

using kbench::Command;

constexpr const char* description =
    "Judges kernels: reads Definitions, runs candidate Solutions against their reference,\n"
    "writes correctness and timing Traces.";
constexpr const char* footer =
    "Exit status: 0 good, 1 negative verdict, 2 wrong input or usage, 3 environment, 4 undecided.\n"
    "kbench COMMAND --help says more.";

// A group of options of which one must be given CLI11 would print as a subcommand.
class HelpFormatter : public CLI::Formatter {
 public:
  // Prints a group of options, which has no name, as its options alone, under the group's text.
  std::string make_expanded(const CLI::App* app) const override {
    if (!app->get_name().empty()) return Formatter::make_expanded(app);
    const auto is_own = [app](const CLI::Option* one) { return one != app->get_help_ptr(); };
    return make_group(app->get_description(), false, app->get_options(is_own));
  }
};

struct Program {
  CLI::App app{description, "kbench"};
  std::string colour = "auto";
  bool quiet = false;
  bool verbose = false;
  std::string errors = "text";
  std::function<int()> action;  // runs the command or verb that was named
};

// Arguments of a command are declared when the command line names it: those of all would take
// longer than the rest of a start.
void declare_all(Program& program, CLI::App& app, std::span<const Command> commands) {
  for (const Command& command : commands) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.doc));
    sub->footer("")->preparse_callback([&program, &command, sub](std::size_t) {
      if (command.declare != nullptr) {
        program.action = command.declare(kbench::CommandLine(*sub));
        return;
      }
      sub->require_subcommand(0, 1);
      declare_all(program, *sub, command.verbs());
      program.action = [&program] {            // runs where none of its verbs was named
        fmt::print("{}", program.app.help());  // help of the command that was named
        return static_cast<int>(kbench::exit_input);
      };
    });
  }
}

void declare(Program& program) {
  CLI::App& app = program.app;
  app.set_version_flag("--version", "kbench " KBENCH_VERSION, "Print the version");
  app.set_help_flag("-h,--help", "Print this text");
  kbench::CommandLine line(app);
  line.add_option("--color WHEN", program.colour, "Colours: auto, always or never")
      .one_of({"auto", "always", "never"});
  line.add_flag("-q,--quiet", program.quiet, "Nothing on stderr but errors");
  line.add_flag("-v,--verbose", program.verbose, "Say more");
  line.add_option("--errors FORMAT", program.errors,
                  "Errors and warnings on stderr: text, or json, an object a line")
      .one_of({"text", "json"});
  line.add_action("--allow-outside", &kbench::allow_files_outside,
                  "Read stored tensors outside of the trace set, too");
  line.add_read(
      "--trusted-keys FILE",
      [](const std::string& file) { kbench::trust_only(kbench::read_public_keys(file), file); },
      "Believe only records that one of these public keys has signed (PEM)");
  app.footer(footer);
  app.fallthrough();
  app.require_subcommand(0, 1);  // words behind are its arguments, even names of commands
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->column_width(26);
  declare_all(program, app, kbench::commands());
}

// The word behind an option, where the command line was not read to its end; "" without one.
std::string said(const CLI::App& app, const std::string& name) {
  const auto& words = app.get_option(name)->results();
  return words.empty() ? "" : words.back();
}

// CLI11 would take the word behind `--name=` for its value.
void check_values(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") return;
    if (word.starts_with("--") && word.ends_with('=') && word.find('=') == word.size() - 1)
      throw CLI::ArgumentMismatch(word + ": a value is missing", CLI::ExitCodes::ArgumentMismatch);
  }
}

// A command that has become part of another: its old words run that, and stand in no help.
struct OldWords {
  std::string_view words;
  std::string_view now;
  std::string_view last = "";  // word behind all that follows
};

// Rows of commands that were merged into another.
constexpr OldWords old_words[] = {
    {"verify", "replay --check"},
    {"tuned ls", "tuned list"},
    {"tuned show", "tuned list --long"},
    {"tuned verify", "tuned list --check"},
    {"tuned path", "tuned list --paths"},
    {"tuned export", "tuned copy store -"},
    {"tuned import", "tuned copy", "store"},
};

// The number of words before the command: global options, and the values of those that take one.
std::size_t words_before_command(const std::vector<std::string>& words) {
  std::size_t at = 0;
  while (at < words.size() && words[at].starts_with('-'))
    at += kbench::is_one_of(words[at], {"--color", "--errors", "--trusted-keys"}) ? 2 : 1;
  return std::min(at, words.size());
}

// The words of a command line, after the program's name, with new words in the place of old ones.
std::vector<std::string> with_new_words(std::vector<std::string> words) {
  const auto command = words.begin() + static_cast<std::ptrdiff_t>(words_before_command(words));
  for (const OldWords& row : old_words) {
    const auto old = kbench::split(row.words, ' '), now = kbench::split(row.now, ' ');
    const auto end = command + std::min<std::ptrdiff_t>(words.end() - command, std::ssize(old));
    if (!std::equal(command, end, old.begin(), old.end())) continue;
    std::vector<std::string> out(words.begin(), command);
    out.insert(out.end(), now.begin(), now.end());
    out.insert(out.end(), end, words.end());
    if (!row.last.empty()) out.emplace_back(row.last);
    return out;
  }
  return words;
}

int run(Program& program, int argc, char** argv) {
  try {
    std::vector<std::string> words = with_new_words({argv + 1, argv + argc});
    check_values(words);
    std::reverse(words.begin(), words.end());  // CLI11 takes them so
    program.app.parse(std::move(words));
  } catch (const CLI::Success& success) {  // --help, --version
    return program.app.exit(success);
  } catch (const CLI::ParseError& error) {
    kbench::set_terminal({.errors = said(program.app, "--errors")});
    return kbench::usage_error(program.app, error);
  }
  kbench::set_terminal({program.colour, program.quiet, program.verbose, program.errors});
  if (program.action) return program.action();
  fmt::print("{}", program.app.help());
  return kbench::exit_input;
}

int fail(const std::string& why) {
  kbench::say_error("kbench", why);
  return kbench::exit_environment;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a broken pipe is seen where we write
  try {
    Program program;
    declare(program);
    return run(program, argc, argv);
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}
