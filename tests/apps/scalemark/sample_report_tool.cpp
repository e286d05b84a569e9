// sample-report WORLD_SIZE: a report as a run of that many ranks would leave it, on stdout.
#include <cstdlib>
#include <iostream>

#include "report/record/report_json.h"
#include "tests/report/sample_report.h"
#include "tools/programs/commands.h"

int scalemark::commands::sample_report(int argc, char** argv) {
  if (argc != 2) return 64;
  namespace reporting = scalemark::reporting;
  std::cout << reporting::to_json(reporting::sample_report(std::atoi(argv[1]), false));
  return 0;
}
