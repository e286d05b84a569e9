// Says what a file is by its first bytes, where it is no safetensors file: what people pass instead
// of one. Pure; knows no format beyond its first bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace scalemark::workloads {

struct ForeignFile {
  std::string what;  // "a pickle, as torch.save writes": completes "FILE is ..."
  std::string hint;  // what to do
};

// So many of the first bytes tell all kinds apart.
constexpr std::size_t kTellingBytes = 512;

// Absent: the bytes are of no kind that is known here. JSON is left to its reader.
std::optional<ForeignFile> foreign_file(std::string_view first_bytes);

// Whether the first byte behind blanks, and behind the mark that editors of Windows put before a
// text, is that of a JSON object.
bool looks_like_json(std::string_view first_bytes);

}  // namespace scalemark::workloads
