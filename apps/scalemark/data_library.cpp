#include "apps/scalemark/data_library.h"

#include "apps/scalemark/library_folder.h"
#include "core/base/error.h"
#include "core/base/version.h"

namespace scalemark::cli {

const data::DataApi& load_data_library() {
  using ApiFunction = const data::DataApi* (*)();
  const auto function =
      reinterpret_cast<ApiFunction>(load_symbol("libscalemark_data.so", "scalemark_data_api"));
  const data::DataApi& api = *function();
  const Version own = program_version();
  if (api.git_commit != own.git_commit) {
    throw system_error("libscalemark_data.so is of build " + std::string(api.git_commit),
                       "the program is of build " + own.git_commit,
                       "install program and libraries from one build");
  }
  return api;
}

}  // namespace scalemark::cli
