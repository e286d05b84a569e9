// Reads from a cell or header of a table how many GPUs of which chip it names. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalemark::tables {

struct Machines {
  std::optional<double> gpus, nodes;  // at least one is set
  std::string chip;                   // "A100 80GB"; empty: none is named
  std::string rest;                   // the rest of the text: "img/s" for "8 GPUs (img/s)"
};

// Reads "8x A100 80GB", "1 node x 8 H100", "2x8 V100", "DGX A100 (8 GPUs)", "V100 (x4)", "8-GPU",
// "n=8", "2 nodes". Returns nothing where no count is named, where several are ("1-8 GPUs", "8 GPUs
// vs 1 GPU"), and where something is compared with the count ("over 1 GPU").
std::optional<Machines> machines_in(std::string_view text);

// Does the same for a cell in a column of counts, where "2 x 8" needs no word behind it and any
// word behind "8x" is a chip.
std::optional<Machines> machines_in_count(std::string_view text);

}  // namespace scalemark::tables
