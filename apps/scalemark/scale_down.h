// --scale-down: asks the machine what it has, and carries out what core/planning/scale_down.h
// decides.
#pragma once

#include "apps/scalemark/rank_command.h"
#include "core/settings/layers.h"

namespace scalemark::cli {

// Changes `layers` where they ask for it, adds a note of what was changed, and keeps the changes in
// `base` for the report.
void scale_down(settings::Command command, const settings::Machine& machine,
                settings::Layers& layers, ResolvedCommand& base);

// The value of --scale-down stands behind "=" only: `--scale-down 5m` leaves a word over, and
// usage() (64) says what to type.
void refuse_stray_time(const Invocation& invocation);

// Makes the images that a run was given by that, unless they are there. Throws what generating and
// writing them throws.
void make_missing_images(const ResolvedCommand& base);

}  // namespace scalemark::cli
