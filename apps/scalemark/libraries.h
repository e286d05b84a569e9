// Finds and loads the libraries that a command needs, when it needs them: torch's, the engine and
// the data library.
#pragma once

#include <filesystem>
#include <string>

#include "data/data_api.h"
#include "engine/api/engine_api.h"

namespace scalemark::cli {

// Which torch the engine runs with, found and checked without loading it.
struct TorchFolder {
  std::filesystem::path path;
  std::string from;     // "--torch or SCALEMARK_TORCH" | "the built-in path"
  std::string version;  // "2.11.0+cu130", as version.py says
};

// `given`: --torch, or SCALEMARK_TORCH; empty: the folder that the program was built with. Throws
// E_TORCH_MISSING (71) when there is none, E_TORCH_VERSION (71) naming another version.
TorchFolder find_torch(const std::string& given);

// The folder of the running program: libscalemark_engine.so and the others are in it, too. Throws
// system_error() when /proc is not there.
std::filesystem::path library_folder();

// Loads torch's libraries, then the engine: the first step that needs torch. Throws Error (71) when
// a library is missing, does not load, or is of another build.
const api::EngineApi& load_engine(const TorchFolder& torch);

// Throws system_error() (71) when the library is missing or of another build.
const data::DataApi& load_data_library();

}  // namespace scalemark::cli
