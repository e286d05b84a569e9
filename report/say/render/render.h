// Renders a report in the forms that people and other programs read, and reads what --format asks
// for. Every number is the record's own; all but write_renderings() is pure.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/terminal.h"
#include "report/judge/judge.h"
#include "report/record/report.h"

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

// --- The renderings that --format asks for: "md,html=page.html".

struct FormatRequest {
  std::string format, file;  // empty file: stdout
};

// FORMAT or FORMAT=FILE, with commas between. Throws configuration() (78) for a format that is not
// among `known`, an empty entry, a format without its file after '=', a format that is asked for
// twice on stdout, and a file named twice.
std::vector<FormatRequest> read_format_requests(std::string_view text,
                                                const std::vector<std::string_view>& known);

struct RenderRequest {
  Format format = Format::kTable;
  std::string file;  // empty: stdout; of svg and tensorboard a folder
};

// The same for the formats of reports; one that is a folder must name it.
std::vector<RenderRequest> read_render_requests(std::string_view text);

// Writes report.md and report.html, which a sweep leaves beside its report.json. When one cannot be
// written (io_error(), 74), neither is left, nor an older one, which would describe another report.
void write_renderings(const std::filesystem::path& folder, const Report& report);

// The parts of the HTML page that are a report's and do not depend on which, as text: made at build
// time from page/* by cmake/embed_text.cmake. Private to pages.cpp.
extern const char* const kPageFrame;   // page.html, with placeholders @STYLE@ @DATA@ ...
extern const char* const kPageScript;  // the scripts, in order

}  // namespace scalemark::reporting
