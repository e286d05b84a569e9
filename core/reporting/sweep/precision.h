// How well each point of a report is known: what --until-ci judges by. Pure.
#pragma once

#include "core/planning/until_ci.h"
#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// From groups[] and scaling[], so that a sweep stops by the very intervals that it reports.
planning::Precisions precision_of(const Report& report);

}  // namespace scalemark::reporting
