// What the library kbench-torch.so is entered by.
#pragma once

#include "reference/torch/serving/c_python.hpp"

extern "C" {
// Does what the words of a command line say, the first of which is the program's name. `glue`: the
// module kbench_glue of the interpreter that calls it; nullptr where none does. Returns the status
// to exit with.
__attribute__((visibility("default"))) int kbench_torch_main(int count, char** words,
                                                             PyObject* glue);
}
