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
  std::string from;        // "--torch or SCALEMARK_TORCH" | "the built-in path"
  std::string version;     // "2.11.0+cu130", as version.py says
  std::string minor;       // "2.11": there is an engine for it
  std::string built_with;  // "2.11.0+cu130": the torch with which that engine was built
};

// `given`: --torch, or SCALEMARK_TORCH; empty: the folder that the program was built with. Throws
// E_TORCH_MISSING (71) when there is none, E_TORCH_VERSION (71) naming a version for which no
// engine lies beside the program, and those for which one does.
TorchFolder find_torch(const std::string& given);

// "2.11, 2.15": the minor versions of torch that have an engine here; "none".
std::string engines_in_words();

// The folder of the running program: libscalemark_engine and the others are in it, too. Throws
// system_error() when /proc is not there.
std::filesystem::path library_folder();

// How far a torch is the one that the engine was built with.
enum class TorchFit {
  kSame,        // the same version and build
  kOtherPatch,  // another patch of the same builder: it fits if it has every symbol
  kOtherBuild,  // another builder, or another CUDA: it is tried, too
};
TorchFit fit_of(const TorchFolder& torch);

struct EngineUse {
  std::string device;  // "cpu" | "cuda"
  // This process is the first on its machine that loads the engine: it tries a torch, and notes it.
  bool is_first;
};

// Loads torch's libraries, then the engine: the first step that needs torch. Before that the first
// process has a child of its own train for two seconds where the torch is of another build, since a
// C++ interface can differ without lacking a symbol. Throws Error (71) when a library is missing,
// does not load, is of another build of scalemark, or does not work with this torch.
const api::EngineApi& load_engine(const TorchFolder& torch, const EngineUse& use);

// Throws system_error() (71) when the library is missing or of another build.
const data::DataApi& load_data_library();

}  // namespace scalemark::cli
