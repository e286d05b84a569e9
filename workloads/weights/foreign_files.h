// Helps to read strangers' files: recognises by its first bytes a file that is no safetensors file,
// reads JSON that must be an object, and quotes names for error lines. Pure; knows no format beyond
// that.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace scalemark::workloads {

// A file that people pass instead of a safetensors file.
struct ForeignFile {
  std::string what;  // "a pickle, as torch.save writes": completes "FILE is ..."
  std::string hint;
};

// So many of the first bytes tell all kinds apart.
constexpr std::size_t kSignatureBytes = 512;

// Absent: the bytes are of no kind that is known here. JSON is left to its reader.
std::optional<ForeignFile> foreign_file(std::string_view first_bytes);

// Whether the first byte behind blanks, and behind the mark that editors of Windows put before a
// text, is that of a JSON object.
bool looks_like_json(std::string_view first_bytes);

// A name of a stranger's file for an error line: in quotes, and no more than 100 bytes of it.
std::string in_quotes(std::string_view name);

// Parses JSON of a stranger: an object, no key twice, no deeper than our own. `what` begins the
// message of bad_data (65), as "FILE is not a valid index".
nlohmann::json parse_object(const std::string& text, const std::string& what);

}  // namespace scalemark::workloads
