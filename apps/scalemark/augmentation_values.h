// The options of augmentation as the data library takes them.
#pragma once

#include "core/settings/reader.h"
#include "data/data_api.h"

namespace scalemark::cli {

data::Augmentation augmentation_of(const settings::ToolValues& values);

}  // namespace scalemark::cli
