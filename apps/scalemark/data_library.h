// Loads libscalemark_data.so when a command needs it.
#pragma once

#include "data/data_api.h"

namespace scalemark::cli {

// Throws system_error() (71) when the library is missing or of another build.
const data::DataApi& load_data_library();

}  // namespace scalemark::cli
