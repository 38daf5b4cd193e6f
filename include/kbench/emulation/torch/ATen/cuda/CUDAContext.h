// SPDX-License-Identifier: Apache-2.0
// Stand-in for torch's header of this name.
#pragma once

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDAStream.h>
