// What no correct program does, as it was reported, and how often.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace nullcuda {

std::map<std::string, std::uint64_t>& violations();

}  // namespace nullcuda
