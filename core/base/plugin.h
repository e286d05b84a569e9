// The program's version, commit and build, and the plugins of the same build that it loads: the
// engine, the data library, the CUDA plugin, which are shared libraries of their own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark {

// "2.11.0+cu130" from version.py in torch's folder; absent when that is not there or names none.
std::optional<std::string> torch_version(const std::filesystem::path& folder);

// "2.11" of "2.11.0+cu130"; empty for a text that begins with no such two numbers.
std::string torch_minor(std::string_view version);

// Torch's C++ interface changes with its minor version, so each library of ours that uses it is
// built for one, which its name says: "libscalemark_engine-2.11.so" is the part "engine" for 2.11.
std::string library_for(std::string_view part, std::string_view torch_minor);

// The minor versions for which `folder` has the part, ascending by number.
std::vector<std::string> torch_minors_of(const std::filesystem::path& folder,
                                         std::string_view part);

struct Version {
  std::string version;     // "0.1.0"
  std::string git_commit;  // 12 digits, or "unknown" outside a checkout
  bool git_dirty = false;
  std::string build_type;
  std::string compiler;
};

Version program_version();

// Each plugin exports one C function, which returns a table that begins with this.
struct PluginStamp {
  const char* abi;         // changes with the layout of the table, and of what passes through it
  const char* git_commit;  // the commit that was built
};

struct Plugin {
  std::string path;    // the full path of the library
  const char* symbol;  // the function
  const char* abi;     // the ABI that this library was built for
  std::string advice = "install or build scalemark completely";  // the hint where it does not load
};

// Opens a library by its full path, so that it wins over RUNPATH, with its symbols visible to what
// is loaded later. It stays loaded. Throws system_error() (71): "cannot load <what>: ..." with the
// system's reason and `advice`.
void* open_library(const std::string& path, const std::string& what, const std::string& advice);

// Returns what the plugin's function returns. Throws system_error() (71) when the plugin is
// missing, does not load, lacks the function, or is of another ABI or build than the caller.
const PluginStamp& open_plugin(const Plugin& plugin);

// The same, as the plugin's own table type, whose first member is its PluginStamp.
template <class Api>
const Api& open_plugin_as(const Plugin& plugin) {
  return *static_cast<const Api*>(static_cast<const void*>(&open_plugin(plugin)));
}

}  // namespace scalemark
