// The counter-based generator Philox4x32-10 of J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel
// random numbers: as easy as 1, 2, 3", SC 2011, section 4.2. Depends on nothing.
#pragma once

#include <array>
#include <cstdint>

namespace scalemark::kernels {

// Returns four random words for a counter and a key, least significant words first.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::uint64_t key);

}  // namespace scalemark::kernels
