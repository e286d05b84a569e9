// Which torch the engine runs with, found and checked without loading it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace scalemark::cli {

struct TorchFolder {
  std::filesystem::path path;
  std::string from;     // "--torch or SCALEMARK_TORCH" | "the built-in path"
  std::string version;  // "2.11.0+cu130", as version.py says
};

// `given`: --torch, or SCALEMARK_TORCH; empty: the folder that the program was built with. Throws
// E_TORCH_MISSING (71) when there is none, E_TORCH_VERSION (71) naming another version.
TorchFolder find_torch(const std::string& given);

// "2.11.0+cu130" from the text of version.py; absent when it names none.
std::optional<std::string> version_of(std::string_view version_py);

}  // namespace scalemark::cli
