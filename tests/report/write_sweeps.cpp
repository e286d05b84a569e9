// Writes made-up sweeps and all their renderings into a folder: for viewing, and for the test of
// the renderers. `write-sweeps FOLDER` writes sweep.json, a realistic one, and planted.json, whose
// stragglers and errors the tests know, whole_steps.json, whose steps have no phases, and
// collectives.json;
// `write-sweeps FOLDER COUNT SEED` writes COUNT generated reports, hostile ones among them, and
// every rendering of each.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "report/hide/redact.h"
#include "report/record/report_json.h"
#include "report/say/render/render.h"
#include "tests/report/generated_report.h"
#include "tests/report/sample_collectives.h"
#include "tests/report/sample_report.h"
#include "tests/report/sample_slices.h"
#include "tests/report/sample_sweep.h"
#include "tools/programs/commands.h"

namespace {

using namespace scalemark::reporting;
namespace fs = std::filesystem;

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

void write_all(const fs::path& folder, const std::string& stem, const Report& report) {
  const std::string json = to_json(report);
  write(folder / (stem + ".json"), json);
  // A reader would have this: text that was not UTF-8 is repaired by then.
  const Report read = report_from_json(json, stem);
  for (const auto name : format_names()) {
    const Format format = *find_format(name);
    if (is_folder(format)) {
      const fs::path below = folder / (stem + (name == "svg" ? ".figures" : ".tensorboard"));
      fs::create_directories(below);
      for (const auto& [file, text] : render_files(format, {&read, 1})) {
        fs::create_directories((below / file).parent_path());
        write(below / file, text);
      }
      render_files(format, {&report, 1});
      continue;
    }
    write(folder / (stem + "." + std::string(name)), render(format, {&read, 1}));
    render(format, {&report, 1});  // must not fail either
  }
  write(folder / (stem + ".details"), render_console({&read, 1}));
  write(folder / (stem + ".superbench_of_two"), render(Format::kSuperbench, std::vector(2, read)));
  write(folder / (stem + ".redacted"), to_json(redacted(report)));
}

Report planted() {
  Report report = sample_sweep({.batch_sizes = {64}, .out_of_memory_from = 1024});
  report.stragglers = {{report.points.front().group, 3, "gpu-node-07", "cuda:3", 0.5, 0.4, 5, 5,
                        RankVerdict::kStraggler}};
  report.effects = {{.axis = "bucket_cap_mb",
                     .fixed = {{"world_size", "2"}},
                     .from = "25",
                     .to = "100",
                     .groups = {"a", "b"},
                     .pairs = 5,
                     .ratio = 1.028,
                     .ratio_ci95 = {1.014, 1.042},
                     .p_holm = 0.0041,
                     .verdict = scalemark::statistics::EffectVerdict::kReal,
                     .memory_delta_bytes = 210LL * 1024 * 1024,
                     .phases_delta_s = Phases{.backward = -0.002, .exposed_communication = -0.0015},
                     .loss_delta = -0.25,
                     .loss_step = 40,
                     .in_words = "planted sentence"}};
  report.effects.push_back(report.effects.front());
  report.effects.back().fixed = {{"world_size", "4"}};
  report.effects.back().verdict = scalemark::statistics::EffectVerdict::kUnsure;
  report.groups.front().communication = GroupCommunication{.cost_s = 0.0021,
                                                           .contention_s = -0.0001,
                                                           .efficiency = 0.875,
                                                           .cost_ci95 = {0.0019, 0.0023},
                                                           .contention_ci95 = {-0.0003, 0.0001},
                                                           .efficiency_ci95 = {0.87, 0.88}};
  report.scaling.front().rows[2].unsteady_runs = 1;
  report.scaling.front().rows[2].at_least = 0.05;
  report.scaling.front().rows[2].efficiency_ci95 = {};  // one run has none
  report.fingerprint = sample_report(2, true).fingerprint;
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

int scalemark::commands::write_sweeps(int argc, char** argv) {
  if (argc != 2 && argc != 4) {
    std::fprintf(stderr, "usage: write-sweeps FOLDER [COUNT SEED]\n");
    return 64;
  }
  const fs::path folder(argv[1]);
  fs::create_directories(folder);
  if (argc == 2) {
    write_all(folder, "sweep", sample_sweep({.drift = 0.015}));
    write_all(folder, "planted", planted());
    write_all(folder, "whole_steps", of_whole_steps());
    write_all(folder, "collectives", sample_collectives());
    return 0;
  }
  const auto seed = std::strtoull(argv[3], nullptr, 10);
  for (unsigned long i = 0; i < std::strtoul(argv[2], nullptr, 10); ++i) {
    write_all(folder, std::to_string(i), generated_report(seed + i));
  }
  return 0;
}
