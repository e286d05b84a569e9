// The program knows its version, commit and build from here. Knows nothing of torch.
#pragma once

#include <string>
#include <string_view>

namespace scalemark {

// Any other torch version is refused by name: the C++ ABI of c10d changes between versions.
inline constexpr std::string_view kTorchVersion = "2.11.0";

struct Version {
  std::string version;     // "0.1.0"
  std::string git_commit;  // 12 digits, or "unknown" outside a checkout
  bool git_dirty = false;
  std::string build_type;
  std::string compiler;
};

Version program_version();

}  // namespace scalemark
