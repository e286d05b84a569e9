// Finds what a row's training takes of its chip's arithmetic, by the FLOPs of the network and the
// datasheet of the chip. Pure.
#pragma once

#include <optional>
#include <string>

#include "claims/rows/row.h"

namespace scalemark::published {

// It gives the share that a sample takes of a GPU's arithmetic. Where the source leaves the number
// format open, the faster one counts.
struct Arithmetic {
  double flops_of_sample = 0;  // forward and backward
  double peak_per_sec = 0;     // dense FLOP/s of one GPU
  std::string source;          // the datasheet and the number format
};
// Returns nothing where network, length of sequences, chip or number format are not known.
std::optional<Arithmetic> arithmetic_of(const Row& row);

}  // namespace scalemark::published
