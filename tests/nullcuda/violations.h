// Counts how often each thing was reported that no correct program does.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace nullcuda {

std::map<std::string, std::uint64_t>& violations();

}  // namespace nullcuda
