// The subcommands. A new one has a file, and its declaration and its row here.
#include "cli/shell/command.hpp"

namespace kbench {

// One declaration for each subcommand's file.
std::function<int()> declare_validate(CommandLine line);
std::function<int()> declare_run(CommandLine line);
std::function<int()> declare_build(CommandLine line);
std::function<int()> declare_compare(CommandLine line);
std::function<int()> declare_tune(CommandLine line);
std::function<int()> declare_grad(CommandLine line);
std::function<int()> declare_show(CommandLine line);
std::function<int()> declare_list(CommandLine line);
std::function<int()> declare_schema(CommandLine line);
std::function<int()> declare_diff(CommandLine line);
std::function<int()> declare_cache(CommandLine line);
std::function<int()> declare_new(CommandLine line);
std::function<int()> declare_import(CommandLine line);
std::function<int()> declare_doctor(CommandLine line);
std::function<int()> declare_leaderboard(CommandLine line);
std::function<int()> declare_apply_table(CommandLine line);
std::function<int()> declare_completion(CommandLine line);
std::function<int()> declare_gate(CommandLine line);
std::function<int()> declare_report(CommandLine line);
std::function<int()> declare_replay(CommandLine line);
std::function<int()> declare_shard(CommandLine line);
std::function<int()> declare_plan(CommandLine line);
std::function<int()> declare_submit(CommandLine line);
std::function<int()> declare_status(CommandLine line);
std::function<int()> declare_gather(CommandLine line);
std::function<int()> declare_mcp(CommandLine line);

namespace {

constexpr Command all_commands[] = {
    {"run", "Judge solutions on workloads and write traces", &declare_run},
    {"plan", "Divide a run into shards for many machines", &declare_plan},
    {"submit", "Give the shards of a plan to Slurm, or run them here", &declare_submit},
    {"status", "Say how far the shards of a plan are", &declare_status},
    {"gather", "Put the records of a plan's shards together, and say what is missing",
     &declare_gather},
    {"build", "Build solutions, and say what their kernels take of a GPU", &declare_build},
    {"compare", "Say which of two solutions is faster", &declare_compare},
    {"tune", "Find the configuration with which a solution is fastest", &declare_tune},
    {"grad", "Check and time the gradients of solutions", &declare_grad},
    {"report", "Write records in another format", &declare_report},
    {"gate", "Say whether a run may be merged", &declare_gate},
    {"leaderboard", "Rank solutions and authors by their records", &declare_leaderboard},
    {"apply-table", "Choose a solution for each definition and size", &declare_apply_table},
    {"tuned", "Configurations that were tuned: print, copy and remove them", nullptr,
     &tuned_commands},
    {"replay", "Judge records again, or say which still belong to what is there", &declare_replay},
    {"shard", "Run a solution as ranks that each have a part of the inputs", &declare_shard},
    {"validate", "Check records, files and trace sets", &declare_validate},
    {"show", "Print a record as kbench reads it", &declare_show},
    {"list", "Print what a trace set holds", &declare_list},
    {"kernels", "Kernel libraries: what they register and which kernel serves a call", nullptr,
     &kernel_commands},
    {"import", "Read problems of other formats into a trace set", &declare_import},
    {"diff", "Apply a verdict rule to stored tensors", &declare_diff},
    {"cache", "Say what is kept between runs, or remove it", &declare_cache},
    {"doctor", "Say what this machine has, what it lacks and what gets that", &declare_doctor},
    {"new", "Make a definition, a workload, a solution or a kernel library to begin with",
     &declare_new},
    {"mcp", "Serve agents by the Model Context Protocol, on stdin and stdout", &declare_mcp},
    {"completion", "Print what completes this command line in a shell", &declare_completion},
    {"schema", "Print the JSON Schema of a kind of record", &declare_schema},
};

}  // namespace

std::span<const Command> commands() { return all_commands; }

}  // namespace kbench
