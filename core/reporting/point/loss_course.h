// At which steps a run keeps its loss, so that two runs of any length, and of any batch size, have
// steps or numbers of samples in common. Pure.
#pragma once

#include <cstdint>

namespace scalemark::reporting {

// Keeps the loss of the `step`-th optimizer step, counted from 1: of 1 to 15, then of the numbers
// with four significant binary digits (16, 18, ... 30, 32, 36, ...): eight in each doubling. Twice
// such a number is one, too, so that a run with twice the samples per step has the same numbers of
// samples.
bool keeps_loss_at(std::int64_t step);

}  // namespace scalemark::reporting
