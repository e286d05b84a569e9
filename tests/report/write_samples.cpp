// Writes sample reports into the folder given: what the schema test validates.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "report/judge/judge.h"
#include "report/record/report_json.h"
#include "tests/report/sample_report.h"
#include "tools/programs/commands.h"

int scalemark::commands::write_samples(int argc, char** argv) {
  using namespace scalemark::reporting;
  if (argc != 2) {
    std::fprintf(stderr, "usage: write-samples FOLDER\n");
    return 64;
  }
  const std::filesystem::path folder(argv[1]);
  const auto write = [&](const char* name, const Report& report) {
    std::ofstream(folder / name) << to_json(report);
  };
  write("least.json", reporting::sample_report(1, false));
  Report most = reporting::sample_report(2, true);
  judge(most);
  write("most.json", most);
  Report whole_steps = reporting::sample_report(2, false);
  for (PointRecord& point : whole_steps.points) drop_phases(point);
  write("whole_steps.json", whole_steps);
  Report partial = reporting::sample_report(2, false);
  partial.status = ReportStatus::kPartial;
  partial.exit_code.reset();
  partial.finished.clear();
  partial.points.clear();
  write("partial.json", partial);
  return 0;
}
