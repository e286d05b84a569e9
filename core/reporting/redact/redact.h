// A report that may be published: who and where are taken out, what was measured stays.
#pragma once

#include <string>

#include "core/reporting/record/report.h"

namespace scalemark::reporting {

// Host names become host-1, host-2 ... wherever they stand; serial numbers, UUIDs and PCI addresses
// of GPUs are dropped; paths become "<path>", addresses "<address>", names of users "<user>".
// The same host has the same new name in the whole report.
Report redacted(const Report& report);

}  // namespace scalemark::reporting
