// Renders a report in the forms that people and other programs read, and parses --format. Every
// number is the record's own. All but write_renderings() is pure.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
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
  kTensorBoard,
  kSummary,
  kBadge
};

// "table" | "md" | "csv" | "json" | "jsonl" | "html" | "junit" | "superbench" | "prom" | "groups" |
// "scaling" | "effects" | "links" | "svg" | "tensorboard" | "summary" | "badge"
std::optional<Format> find_format(std::string_view name);
std::string_view format_name(Format format);
std::vector<std::string_view> format_names();

// Returns the file name of a rendering in an output folder: "report.md".
std::string file_name(Format format);

// Whether the format is a folder with several files. All others are one text.
bool is_folder(Format format);

// Renders several reports into one text, in the order given. It ends with a line end. `format` must
// not be a folder. Forms for people are made from for_people(); forms for programs hold every
// number with its standing.
std::string render(Format format, std::span<const Report> reports,
                   Withheld withheld = Withheld::kLeftOut);

// Writes all that there is to say, as wide as the terminal: a sweep by its scaling tables and
// groups, collectives as nccl-tests shows them, any other report by its points.
std::string render_console(std::span<const Report> reports, Withheld withheld = Withheld::kLeftOut,
                           const Terminal& terminal = {});

// --- render() calls these. Those for people get the result of for_people().

// Writes Markdown for a page or a pull request.
std::string render_markdown(std::span<const Report> reports);

// Writes one line per run. If the reports hold points and collectives, the points come first and,
// after an empty line, the collectives. Unset values are empty cells. RFC 4180, with a head line.
std::string render_csv(std::span<const Report> reports);

// Writes CSV with one line per group over its repetitions: numbers with the low and high end of
// their intervals, and what was measured. If a report is of `comm`, only groups of collectives are
// written.
std::string render_groups(std::span<const Report> reports);

// Writes CSV with one line per row of a scaling table: speed-up and efficiency with low and high.
std::string render_scaling(std::span<const Report> reports);

// Writes CSV with one line per effect of an option.
std::string render_effects(std::span<const Report> reports);

// Writes CSV with one line per link between two hosts or ranks.
std::string render_links(std::span<const Report> reports);

// Writes one page that opens offline, with charts, tables that sort, light and dark.
std::string render_html(std::span<const Report> reports);

// Writes a test case per group: failed runs are failures, points that could not run are skipped.
// Errors of the report and findings of severity error are cases of their own.
std::string render_junit(std::span<const Report> reports);

// Writes lines as in SuperBench's results-summary.jsonl: {"node": host, "benchmark/metric:rank":
// value}.
std::string render_superbench(std::span<const Report> reports);

// Draws what the report answers and whether it may be quoted as a small SVG, on one line.
std::string render_badge(std::span<const Report> reports);

// E_USAGE (64): `format` shows one report, and `given` are given.
Error takes_one_report(const std::string& format, std::size_t given);

struct RenderedFile {
  std::string name, text;  // name: may contain folders: "a/r0/events"
};

// Returns the files of a format that is a folder. The arguments are those of render().
std::vector<RenderedFile> render_files(Format format, std::span<const Report> reports,
                                       Withheld withheld = Withheld::kLeftOut);

// Renders each figure of plots_of() as SVG, 89 and 183 mm wide, and its data as CSV:
// "speed-up-89mm.svg", "speed-up.csv". If there are several reports, the names begin with a number:
// "2-".
std::vector<RenderedFile> render_figures(std::span<const Report> reports);

// Writes event files for TensorBoard, one per run:
// "resnet50-b32-fp32-w4-ddp/r0/events.out.tfevents...". A second rendering has the same names. With
// several reports they are below "1/", "2/", ...
std::vector<RenderedFile> render_tensorboard(std::span<const Report> reports);

// Writes text exposition format 0.0.4, for a node exporter's textfile collector.
std::string render_prometheus(std::span<const Report> reports);

// --- The renderings that --format asks for: "md,html=page.html".

struct FormatRequest {
  std::string format, file;  // empty file: stdout
};

// Parses FORMAT or FORMAT=FILE, with commas between. Throws configuration() (78) for a format that
// is not among `known`, an empty entry, a format without its file after '=', a format that is
// written to stdout twice, and a file named twice.
std::vector<FormatRequest> read_format_requests(std::string_view text,
                                                const std::vector<std::string_view>& known);

struct RenderRequest {
  Format format = Format::kTable;
  std::string file;  // empty: stdout; svg and tensorboard name a folder
};

// Does the same for the formats of reports. A format that is a folder must name one,
// and no file: "svg=speed-up.svg".
std::vector<RenderRequest> read_render_requests(std::string_view text);

// Writes report.md and report.html, which a sweep leaves beside its report.json. When one cannot be
// written (io_error(), 74), both are removed, older ones too, since these would describe another
// report.
void write_renderings(const std::filesystem::path& folder, const Report& report);

// The constant parts of the HTML page of a report, as text: made at build time from page/* by
// cmake/embed_text.cmake. Private to pages.cpp.
extern const char* const kPageFrame;   // page.html, with placeholders @STYLE@ @DATA@ ...
extern const char* const kPageScript;  // the scripts, in order

// A word of ours, or two with a comma between them, and its meaning in Markdown: the page's
// glossary and docs/GLOSSARY.md.
struct OurWord {
  const char *word, *meaning;
};
std::span<const OurWord> our_words();

}  // namespace scalemark::reporting
