// Precompiled for every file that uses torch: parsing these costs 15 s a file, loading them 4 s.
// GCC instantiates pending templates of a precompiled header in each file anew, so a header that
// few files need makes all the others slower: measure before adding one.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "standard.h"
