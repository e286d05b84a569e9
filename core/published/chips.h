// The chip that a table's words about a machine mean. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalemark::published {

struct Chip {
  std::string_view name;  // as CUDA calls it, without the maker; a family's fastest
  bool gone = false;      // older than what CUDA 13 serves (Turing)
};

// "NVIDIA DGX A100 (8x A100 80GB)" -> A100-SXM4-80GB. Absent where the words name no chip of
// NVIDIA's that we know.
std::optional<Chip> chip_in(std::string_view system);

}  // namespace scalemark::published
