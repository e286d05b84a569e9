// The error of a run that a signal asked to end. Pure.
#pragma once

#include "core/base/error.h"

namespace scalemark::launching {

// E_INTERRUPTED (130) for SIGINT, E_PREEMPTED (75) for every other signal. `has_report`: a report
// holds the finished part.
ErrorRecord interruption(int signal, bool has_report);

}  // namespace scalemark::launching
