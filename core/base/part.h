// Loads a part of the program that is a shared library of its own: the engine, the data library,
// the CUDA part. Each exports one C function, which returns a table that begins with a PartStamp.
#pragma once

#include <string>

namespace scalemark {

struct PartStamp {
  const char* abi;         // changes with the layout of the table, and of what passes through it
  const char* git_commit;  // of the build
};

struct Part {
  std::string path;                                              // of the library
  const char* symbol;                                            // the function
  const char* abi;                                               // that this library was built for
  std::string advice = "install or build scalemark completely";  // for a part that does not load
};

// Opens a library by its full path, so that it wins over RUNPATH, with its symbols visible to what
// is loaded later. It stays loaded. Throws system_error() (71): "cannot load <what>: ..." with the
// system's reason and `advice`.
void* open_library(const std::string& path, const std::string& what, const std::string& advice);

// Returns what the part's function returns. Throws system_error() (71) when the part is missing,
// does not load, lacks the function, or is of another ABI or build than the caller.
const PartStamp& open_part(const Part& part);

// The same, as the part's own table type, whose first member is its PartStamp.
template <class Api>
const Api& open_part_as(const Part& part) {
  return *static_cast<const Api*>(static_cast<const void*>(&open_part(part)));
}

}  // namespace scalemark
