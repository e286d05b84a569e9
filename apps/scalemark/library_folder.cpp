#include "apps/scalemark/library_folder.h"

#include "core/base/error.h"

namespace scalemark::cli {

std::filesystem::path library_folder() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw system_error("cannot read /proc/self/exe: " + error.message());
  return program.parent_path();
}

}  // namespace scalemark::cli
