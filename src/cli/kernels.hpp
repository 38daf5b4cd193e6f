// The verbs of kbench kernels, one file each: kernels_<verb>.cpp. docs/kernels.md
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace kbench {

std::function<int()> declare_kernels_list(CLI::App& app);
std::function<int()> declare_kernels_resolve(CLI::App& app);
std::function<int()> declare_kernels_schema(CLI::App& app);
std::function<int()> declare_kernels_merge(CLI::App& app);
std::function<int()> declare_kernels_select(CLI::App& app);
std::function<int()> declare_kernels_codegen(CLI::App& app);
std::function<int()> declare_kernels_check(CLI::App& app);
std::function<int()> declare_kernels_test(CLI::App& app);
std::function<int()> declare_kernels_define(CLI::App& app);

}  // namespace kbench
