// The id of a GPU as nvidia-smi writes it. Header-only: the CUDA part uses it too, and links
// nothing of monitoring.
#pragma once

#include <cstdio>
#include <span>
#include <string>

namespace scalemark::monitoring {

// "GPU-" and the bytes in hexadecimal digits, grouped 4-2-2-2-6.
inline std::string gpu_uuid(std::span<const unsigned char, 16> bytes) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
    text += digits;
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

}  // namespace scalemark::monitoring
