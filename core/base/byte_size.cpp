#include "core/base/byte_size.h"

#include <cstdio>

namespace scalemark {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

}  // namespace

std::string readable_bytes(std::uint64_t bytes) {
  if (bytes < kMiB) return std::to_string(bytes) + " bytes";
  const bool small = bytes < kGiB / 2;
  char text[48];
  std::snprintf(text, sizeof text, small ? "%.1f MiB" : "%.2f GiB",
                static_cast<double>(bytes) / static_cast<double>(small ? kMiB : kGiB));
  return text;
}

}  // namespace scalemark
