// The identity of the null machine's devices: the same for the CUDA runtime and for NVML. Pure.
#pragma once

#include <array>
#include <string>

namespace nullcuda {

using Uuid = std::array<unsigned char, 16>;

// UUID of the machine's device `index`, whatever CUDA_VISIBLE_DEVICES leaves.
Uuid uuid_of(int index);
std::string uuid_text(int index);   // "GPU-..."
std::string pci_bus_id(int index);  // "00000000:10:00.0"
inline constexpr const char* kDeviceName = "NVIDIA H200";

}  // namespace nullcuda
