// SPDX-License-Identifier: Apache-2.0
// Usual includes of an extension of torch, without the parts that take longest to compile: modules,
// optimizers, data loaders. They have headers of their own.
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/types.h>
