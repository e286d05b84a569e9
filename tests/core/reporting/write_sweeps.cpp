// Writes made-up sweeps and all their renderings into a folder: for looking at, and for the test of
// the renderers. `write_sweeps FOLDER` writes sweep.json, a realistic one, and planted.json, whose
// stragglers and errors the tests know, and whole_steps.json, whose steps have no phases;
// `write_sweeps FOLDER COUNT SEED` writes COUNT generated reports, hostile ones among them, and
// every rendering of each.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "core/reporting/record/report_json.h"
#include "core/reporting/redact/redact.h"
#include "core/reporting/render/render.h"
#include "tests/core/reporting/generated_report.h"
#include "tests/core/reporting/sample_report.h"
#include "tests/core/reporting/sample_sweep.h"

namespace {

using namespace scalemark::reporting;
namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

void write_all(const fs::path& folder, const std::string& stem, const Report& report) {
  const std::string json = to_json(report);
  write(folder / (stem + ".json"), json);
  // What a reader would have: text that was not UTF-8 is repaired by then.
  const Report read = report_from_json(json, stem);
  for (const auto name : format_names()) {
    const Format format = *find_format(name);
    write(folder / (stem + "." + std::string(name)), render(format, {&read, 1}));
    render(format, {&report, 1});  // must not fail either
  }
  write(folder / (stem + ".superbench_of_two"), render(Format::kSuperbench, std::vector(2, read)));
  write(folder / (stem + ".redacted"), to_json(redacted(report)));
}

Report planted() {
  Report report = sample_sweep({.batch_sizes = {64}, .out_of_memory_from = 1024});
  report.stragglers = {{report.points.front().group, 3, "gpu-node-07", "cuda:3", 0.5, 0.4, 5, 5,
                        RankVerdict::kStraggler}};
  report.errors = {
      scalemark::bad_data("seen this", "expected that", "planted suggestion").record()};
  report.status = ReportStatus::kFailed;
  report.exit_code = 65;
  return report;
}

Report of_whole_steps() {
  Report report = sample_sweep({.batch_sizes = {64}, .out_of_memory_from = 1024});
  for (PointRecord& point : report.points) drop_phases(point);
  summarise(report);
  return report;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4) {
    std::fprintf(stderr, "usage: write_sweeps FOLDER [COUNT SEED]\n");
    return 64;
  }
  const fs::path folder(argv[1]);
  fs::create_directories(folder);
  if (argc == 2) {
    write_all(folder, "sweep", sample_sweep({.drift = 0.015}));
    write_all(folder, "planted", planted());
    write_all(folder, "whole_steps", of_whole_steps());
    return 0;
  }
  const auto seed = std::strtoull(argv[3], nullptr, 10);
  for (unsigned long i = 0; i < std::strtoul(argv[2], nullptr, 10); ++i) {
    write_all(folder, std::to_string(i), generated_report(seed + i));
  }
  return 0;
}
