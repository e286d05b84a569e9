// Values of options that hold more than one number.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace scalemark::settings {

struct Betas {
  double first = 0.9;
  double second = 0.999;
  bool operator==(const Betas&) const = default;
};

// Deadlines in seconds: one for every phase, and those of single phases.
struct Timeouts {
  double every_s = 300;
  std::map<std::string, double> phase_s;
  bool operator==(const Timeouts&) const = default;
};

// Bytes that the tensors of a rank may hold. Absent: each node decides for its ranks.
struct MemoryLimits {
  std::optional<std::int64_t> every_bytes;
  std::map<int, std::int64_t> bytes_of_rank;  // for single ranks
  bool operator==(const MemoryLimits&) const = default;
};

// Environment variables of the ranks by name; kUnset: it is not set.
using Variables = std::map<std::string, std::string>;
inline constexpr const char* kUnset = "unset";

}  // namespace scalemark::settings
