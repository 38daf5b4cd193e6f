// Mistakes in a command line, said so that one can act on them.
#pragma once

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace kbench {

// Reports on stderr why `app` could not parse its arguments; returns the exit status.
int usage_error(const CLI::App& app, const CLI::ParseError& error);

}  // namespace kbench
