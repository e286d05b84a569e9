#include "core/base/byte_size.h"

#include <limits>

#include "core/base/numbers.h"
#include "core/base/text.h"

namespace scalemark {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr std::int64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

struct Unit {
  std::string_view suffix;
  std::int64_t bytes;
};
constexpr Unit kUnits[] = {{"KiB", 1LL << 10},
                           {"MiB", 1LL << 20},
                           {"GiB", 1LL << 30},
                           {"TiB", 1LL << 40},
                           {"kB", 1'000},
                           {"KB", 1'000},
                           {"MB", 1'000'000},
                           {"GB", 1'000'000'000},
                           {"TB", 1'000'000'000'000},
                           {"B", 1}};  // last: every unit ends with it

}  // namespace

std::string readable_bytes(std::uint64_t bytes) {
  if (bytes < kMiB) return std::to_string(bytes) + " bytes";
  const bool small = bytes < kGiB / 2;
  return printed(small ? "%.1f MiB" : "%.2f GiB",
                 static_cast<double>(bytes) / static_cast<double>(small ? kMiB : kGiB));
}

std::optional<std::int64_t> parse_byte_size(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  for (const Unit& unit : kUnits) {
    if (!text.ends_with(unit.suffix)) continue;
    const auto count = whole_number<std::int64_t>(text.substr(0, text.size() - unit.suffix.size()));
    if (!count || *count < 1 || *count > kMostBytes / unit.bytes) return std::nullopt;
    return *count * unit.bytes;
  }
  return std::nullopt;
}

}  // namespace scalemark
