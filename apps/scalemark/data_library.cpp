#include "apps/scalemark/data_library.h"

#include "apps/scalemark/library_folder.h"
#include "core/base/part.h"

namespace scalemark::cli {

const data::DataApi& load_data_library() {
  return open_part_as<data::DataApi>({.path = library_folder() / "libscalemark_data.so",
                                      .symbol = "scalemark_data_api",
                                      .abi = data::kDataAbi});
}

}  // namespace scalemark::cli
