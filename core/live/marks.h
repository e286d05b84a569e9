// Which ranks of a run are not well, and why in a few words: the one that all others wait for, the
// one that is behind, the one that shows no sign of life. Pure. A run that is well has no marks, so
// each rule asks for a clear difference from the other ranks.
#pragma once

#include "core/live/rates.h"

namespace scalemark::live {

// Fills in `mark` and `reason` of run.ranks, which rates_of() made of the same two records
// (`before` may be null). A status that is not running, or of one rank, gets at most an old status.
//
// silent: no sign of life for 8 s, and 6 s longer than the median rank; rank 0, where the status
//   itself is old.
// behind: all ranks of its phase have stopped stepping, and half of them or fewer, it among them,
//   have begun fewer collectives than the others; or its last step is long over while those of the
//   others are not; or it is in an earlier phase than most, in both records.
// slowest: the others wait for peers more than it does, by more than 5 % of the time and by more
//   than what n steps between two records cannot tell (twice the largest share by n). With GPUs,
//   where waits are unknown, it waits for data or has its clock held down as no other has. Or its
//   sampler is woken late as no other's is: it is stopped now and then.
void mark_ranks(const Status* before, const Status& now, RunNow& run);

}  // namespace scalemark::live
