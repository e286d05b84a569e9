// The loops over blocks and coefficients, compiled for processors with and without BMI2 (shifts by
// a variable count in one step). Private to the scan decoder.
#pragma once

#include "data/images/jpeg/scan_decoder.h"

namespace scalemark::data::jpeg {

struct ScanLoops {
  // Decodes one MCU into its blocks, which must be zero.
  ScanFault (*decode)(const ScanLayout&, const Segment&, ScanPlace&, Block* const* blocks);
  // Skips `mcus` MCUs of the segment.
  ScanFault (*read_over)(const ScanLayout&, const Segment&, ScanPlace&, std::uint32_t mcus);
};

// Returns the loops for this processor, which is determined once.
const ScanLoops& scan_loops();

// The loops for processors without BMI2. Every processor can run them; tests do.
const ScanLoops& portable_scan_loops();

}  // namespace scalemark::data::jpeg
