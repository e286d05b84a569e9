#include "apps/scalemark/output_folder.h"

#include <filesystem>

#include "core/base/error.h"

namespace scalemark::cli {

namespace fs = std::filesystem;

void refuse_used_folder(const std::string& folder, bool overwrite) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) {
    throw cannot_create("'" + folder + "' is there and is no folder", "a folder for --output");
  }
  const bool empty = fs::is_empty(folder, error);
  if (error) throw cannot_create("cannot look into '" + folder + "': " + error.message());
  if (empty || overwrite) return;
  throw Error({.code = "E_OUTPUT_NOT_EMPTY",
               .exit_code = ExitCode::kCannotCreateOutput,
               .domain = ErrorDomain::kData,
               .what = "the output folder '" + folder + "' is not empty",
               .expected = "an empty or a new one",
               .hint = "choose another --output, or --overwrite"});
}

void create_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw cannot_create("cannot create '" + folder + "': " + error.message());
}

}  // namespace scalemark::cli
