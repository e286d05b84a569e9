// Makes a report that may be published: without names of people, machines and paths, with all
// results.
#pragma once

#include <string>

#include "report/record/report.h"

namespace scalemark::reporting {

// Host names become host-1, host-2 ... wherever they occur; serial numbers, UUIDs and PCI addresses
// of GPUs are dropped; paths become "<path>", addresses "<address>", values of variables that are
// not known to matter "value-1", and lines of free text that still look like a path or an address
// "<left out>".
// The same host has the same new name in the whole report.
Report redacted(const Report& report);

}  // namespace scalemark::reporting
