// Commands that load data without training share this: their options, and what was skipped.
#pragma once

#include <string>
#include <vector>

#include "core/settings/reader.h"
#include "data/data_api.h"

namespace scalemark::cli {

data::ImageDecoding decoding_of(const settings::ToolValues& values);
data::OnBadSample on_bad_sample_of(const settings::ToolValues& values);

// A line for each, below a line that counts them; empty where there is none.
std::string skipped_text(const std::vector<data::SkippedSample>& skipped);

}  // namespace scalemark::cli
