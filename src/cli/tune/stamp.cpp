// kbench stamp: its verbs. To add one: its file, its declaration in stamp.hpp, its row here.
#include "cli/tune/stamp.hpp"

namespace kbench {
namespace {

constexpr Command verbs_of_stamp[] = {
    {"parse", "Say which records the labels in a profile lead to", &declare_stamp_parse},
};

}  // namespace

std::span<const Command> stamp_commands() { return verbs_of_stamp; }

}  // namespace kbench
