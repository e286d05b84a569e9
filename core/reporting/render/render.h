// A report in the forms that people and other programs read. Pure: records in, text out; every
// number is the record's own, none is computed here. Knows no files.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/terminal.h"
#include "core/reporting/judge/judge.h"
#include "core/reporting/record/report.h"

namespace scalemark::reporting {

enum class Format {
  kTable,
  kMarkdown,
  kCsv,
  kJsonLines,
  kJson,
  kHtml,
  kJunit,
  kSuperbench,
  kPrometheus,
  kGroups,
  kScaling,
  kEffects,
  kLinks,
  kSvg,
  kTensorBoard
};

// "table" | "md" | "csv" | "json" | "jsonl" | "html" | "junit" | "superbench" | "prom" | "groups" |
// "scaling" | "effects" | "links" | "svg" | "tensorboard"
std::optional<Format> find_format(std::string_view name);
std::string_view format_name(Format format);
std::vector<std::string_view> format_names();

// "report.md": what a rendering is called in an output folder.
std::string file_name(Format format);

// Whether it is a folder with several files; all others are one text.
bool is_folder(Format format);

// Every rendering ends with a line end. Several reports give one text, in the order given.
// `format` must not be a folder. Forms for people are made of for_people(), forms for programs hold
// every number with its standing.
std::string render(Format format, std::span<const Report> reports,
                   Withheld withheld = Withheld::kLeftOut);

// All that there is to say, as wide as the terminal: a sweep by its scaling tables and groups,
// collectives as nccl-tests shows them, any other report by its points.
std::string render_console(std::span<const Report> reports, Withheld withheld = Withheld::kLeftOut,
                           const Terminal& terminal = {});

// --- render() calls these; those of forms for people get what for_people() gave.

// For a page or a pull request.
std::string render_markdown(std::span<const Report> reports);

// One line per run: of points, of collectives, or, where the reports hold both, first the ones and,
// after an empty line, the others. Absent values are empty cells. RFC 4180, with a head line.
std::string render_csv(std::span<const Report> reports);

// One line per group over its repetitions, as CSV: numbers with the low and high end of their
// intervals, and what was measured. With a report of `comm` those of collectives only.
std::string render_groups(std::span<const Report> reports);

// One line per row of a scaling table, as CSV: speed-up and efficiency with low and high.
std::string render_scaling(std::span<const Report> reports);

// One line per effect of an option, as CSV.
std::string render_effects(std::span<const Report> reports);

// One line per link between two hosts or ranks, as CSV.
std::string render_links(std::span<const Report> reports);

// One JSON object per line: first the report without its lists, then each entry of each list. Field
// `record` says which: report | point | group | scaling | finding | ...; `run_id` ties them.
std::string render_json_lines(std::span<const Report> reports);

// One page that opens offline, with charts, tables that sort, light and dark.
std::string render_html(std::span<const Report> reports);

// A test case per group: failed runs are failures, points that could not run are skipped. Errors of
// the report and findings of severity error are cases of their own.
std::string render_junit(std::span<const Report> reports);

// Lines as in SuperBench's results-summary.jsonl: {"node": host, "benchmark/metric:rank": value}.
std::string render_superbench(std::span<const Report> reports);

struct RenderedFile {
  std::string name, text;  // the name may stand below folders: "a/r0/events"
};

// The files of a format that is a folder; otherwise as render().
std::vector<RenderedFile> render_files(Format format, std::span<const Report> reports,
                                       Withheld withheld = Withheld::kLeftOut);

// Renders each figure that plots_of() finds as SVG, 89 and 183 mm wide, and its data as CSV:
// "speed-up-89mm.svg", "speed-up.csv". With several reports the names begin with a number, "2-".
std::vector<RenderedFile> render_figures(std::span<const Report> reports);

// Event files for TensorBoard, one per run: "resnet50-b32-fp32-w4-ddp/r0/events.out.tfevents...". A
// second rendering has the same names. With several reports they stand below "1/", "2/", ...
std::vector<RenderedFile> render_tensorboard(std::span<const Report> reports);

// Text exposition format 0.0.4, for a node exporter's textfile collector.
std::string render_prometheus(std::span<const Report> reports);

}  // namespace scalemark::reporting
