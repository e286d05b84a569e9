// One rule for folders that are read: which of their files nobody means.
#pragma once

#include <filesystem>

namespace scalemark {

// Whether its name begins with a dot, as that of what systems and editors leave beside files does
// (._a.jsonl, .snapshot/). Whoever reads what lies in a folder passes it over; images alone are
// listed as torchvision lists them.
inline bool is_hidden(const std::filesystem::path& path) {
  return path.filename().string().starts_with('.');
}

}  // namespace scalemark
