// Helps to read files of unknown origin: recognises by its first bytes a file that is no
// safetensors file, reads JSON that must be an object, and quotes names for error lines. Pure;
// knows no further format.
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

// So many first bytes distinguish all kinds.
constexpr std::size_t kSignatureBytes = 512;

// Returns nothing for bytes of an unknown kind. JSON is left to its reader.
std::optional<ForeignFile> foreign_file(std::string_view first_bytes);

// Whether the first byte after blanks, and after the byte order mark of Windows editors, begins a
// JSON object.
bool looks_like_json(std::string_view first_bytes);

// Quotes at most 100 bytes of a name in a file, for an error line.
std::string in_quotes(std::string_view name);

// Parses JSON of unknown origin: an object, without repeated keys, no deeper than our own. `what`
// begins the message of bad_data (65): "FILE is not a valid index".
nlohmann::json parse_object(const std::string& text, const std::string& what);

}  // namespace scalemark::workloads
