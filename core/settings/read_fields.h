// From checked raw values to the typed fields that the option table names. Pure.
#pragma once

#include "core/settings/layers.h"
#include "core/settings/settings.h"
#include "core/settings/sweep_settings.h"

namespace scalemark::settings {

// Fields whose option has no value in `raw` keep what they are. A value that does not parse is
// bug(): check with accepts() first, and leave refused ones out.
void read_fields(const RawSettings& raw, Settings& settings);
void read_fields(const RawSettings& raw, SweepSettings& sweep);

}  // namespace scalemark::settings
