#include "core/published/chips.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace scalemark::published {
namespace {

// The first that fits counts: what is contained in another stands below it.
struct PrintedChip {
  std::string_view word, more;  // both must be there
  Chip chip;
};
constexpr auto kChips = std::to_array<PrintedChip>({
    {"gb300", "", {"GB300"}},
    {"gb200", "", {"GB200"}},
    {"b300", "", {"B300 SXM6 AC"}},
    {"b200", "", {"B200"}},
    {"gh200", "144", {"GH200 144G HBM3e"}},
    {"gh200", "", {"GH200 480GB"}},
    {"h200", "", {"H200"}},
    {"h100", "pcie", {"H100 PCIe"}},
    {"h100", "nvl", {"H100 NVL"}},
    {"h100", "", {"H100 80GB HBM3"}},
    {"a100", "pcie", {"A100 80GB PCIe"}},
    {"a100", "40g", {"A100-SXM4-40GB"}},
    {"a100", "", {"A100-SXM4-80GB"}},
    {"a6000", "", {"RTX A6000"}},
    {"a5000", "", {"RTX A5000"}},
    {"6000 ada", "", {"RTX 6000 Ada Generation"}},
    {"pro 6000", "", {"RTX PRO 6000 Blackwell Workstation Edition"}},
    {"4090", "", {"GeForce RTX 4090"}},
    {"3090", "", {"GeForce RTX 3090"}},
    {"rtx 8000", "", {"Quadro RTX 8000"}},
    {"a10g", "", {"A10G"}},
    {"a10", "", {"A10"}},
    {"a30", "", {"A30"}},
    {"a40", "", {"A40"}},
    {"l40s", "", {"L40S"}},
    {"l40", "", {"L40"}},
    {"l4", "", {"L4"}},
    {"t4", "", {"T4"}},
    {"p100", "", {"P100", true}},
    {"k80", "", {"K80", true}},
    {"v100s", "", {"V100S-PCIE-32GB", true}},
    {"v100", "pcie", {"V100-PCIE-32GB", true}},
    {"v100", "", {"V100-SXM2-32GB", true}},
    {"dgx 1", "", {"V100-SXM2-32GB", true}},
    {"dgx 2", "", {"V100-SXM2-32GB", true}},
    {"dgx 2h", "", {"V100-SXM2-32GB", true}},
});

// Lower case, every sign but letters and digits a blank, with blanks at both ends. A count in front
// of a chip ("4xA100", "8x H100") is cut off.
std::string plain(std::string_view system) {
  std::string text = " ";
  for (const char c : system) {
    const auto byte = static_cast<unsigned char>(c);
    const char kept =
        byte < 128 && std::isalnum(byte) ? static_cast<char>(std::tolower(byte)) : ' ';
    const bool counts = kept == 'x' && std::isdigit(static_cast<unsigned char>(text.back()));
    if (counts) {
      text += ' ';
    } else if (kept != ' ' || text.back() != ' ') {
      text += kept;
    }
  }
  return text + ' ';
}

}  // namespace

std::optional<Chip> chip_in(std::string_view system) {
  const std::string text = plain(system);
  for (const auto& [word, more, chip] : kChips) {
    const bool is_there = text.find(" " + std::string(word) + " ") != std::string::npos;
    if (is_there && text.find(more) != std::string::npos) return chip;
  }
  return std::nullopt;
}

}  // namespace scalemark::published
