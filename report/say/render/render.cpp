#include "report/say/render/render.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/settings/problem.h"
#include "report/keep/disk.h"
#include "report/record/report_json.h"
#include "report/say/render/answer/answer.h"
#include "report/say/render/figures/plot.h"

namespace scalemark::reporting {
namespace {

std::string render_short(std::span<const Report> reports) {
  return answers_of(reports, {}, Terminal());
}

std::string render_json(std::span<const Report> reports) {
  if (reports.size() != 1) throw takes_one_report("json", reports.size());
  const std::string text = to_json(reports.front());
  return text.ends_with('\n') ? text : text + "\n";
}

// Writes one JSON object per line: first the report without its lists, then each entry of each
// list. The field `record` names its kind: report | point | group | scaling | finding | ...;
// `run_id` ties the lines together.
std::string render_json_lines(std::span<const Report> reports) {
  std::string text;
  for (const Report& report : reports) text += to_json_lines(report);
  return text;
}

std::string render_summary(std::span<const Report> reports) { return summaries_of(reports); }

enum class For { kPeople, kPrograms };

struct FormatEntry {
  Format format;
  std::string_view name, ending;
  For whom;
  std::string (*render)(std::span<const Report>);  // null: `files` renders it
  std::vector<RenderedFile> (*files)(std::span<const Report>) = nullptr;  // renders a folder
};

constexpr std::array<FormatEntry, 17> kFormats = {{
    {Format::kTable, "table", ".txt", For::kPeople, render_short},
    {Format::kMarkdown, "md", ".md", For::kPeople, render_markdown},
    {Format::kCsv, "csv", ".csv", For::kPrograms, render_csv},
    {Format::kJson, "json", ".json", For::kPrograms, render_json},
    {Format::kJsonLines, "jsonl", ".jsonl", For::kPrograms, render_json_lines},
    {Format::kHtml, "html", ".html", For::kPeople, render_html},
    {Format::kJunit, "junit", ".junit.xml", For::kPeople, render_junit},
    {Format::kSuperbench, "superbench", ".superbench.jsonl", For::kPrograms, render_superbench},
    {Format::kPrometheus, "prom", ".prom", For::kPrograms, render_prometheus},
    {Format::kGroups, "groups", ".groups.csv", For::kPrograms, render_groups},
    {Format::kScaling, "scaling", ".scaling.csv", For::kPrograms, render_scaling},
    {Format::kEffects, "effects", ".effects.csv", For::kPrograms, render_effects},
    {Format::kLinks, "links", ".links.csv", For::kPrograms, render_links},
    {Format::kSvg, "svg", "", For::kPeople, nullptr, render_figures},
    {Format::kTensorBoard, "tensorboard", "", For::kPrograms, nullptr, render_tensorboard},
    {Format::kSummary, "summary", ".summary.md", For::kPeople, render_summary},
    {Format::kBadge, "badge", ".badge.svg", For::kPeople, render_badge},
}};

// Forms for programs hold what the reports say, those for people only what people may be shown.
auto made(const FormatEntry& entry, auto make, std::span<const Report> reports, Withheld withheld) {
  return entry.whom == For::kPeople ? make(for_people(reports, withheld)) : make(reports);
}

const FormatEntry& entry_of(Format format) {
  for (const auto& entry : kFormats) {
    if (entry.format == format) return entry;
  }
  throw bug("a format without a renderer");
}

}  // namespace

std::optional<Format> find_format(std::string_view name) {
  for (const auto& entry : kFormats) {
    if (entry.name == name) return entry.format;
  }
  return std::nullopt;
}

std::string_view format_name(Format format) { return entry_of(format).name; }

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names;
  for (const auto& entry : kFormats) names.push_back(entry.name);
  return names;
}

std::string file_name(Format format) { return "report" + std::string(entry_of(format).ending); }

bool is_folder(Format format) { return entry_of(format).render == nullptr; }

std::string render(Format format, std::span<const Report> reports, Withheld withheld) {
  if (is_folder(format)) throw bug("a folder is rendered as text");
  const FormatEntry& entry = entry_of(format);
  return made(entry, entry.render, reports, withheld);
}

std::vector<RenderedFile> render_files(Format format, std::span<const Report> reports,
                                       Withheld withheld) {
  if (!is_folder(format)) throw bug("a text is rendered as a folder");
  const FormatEntry& entry = entry_of(format);
  return made(entry, entry.files, reports, withheld);
}

std::vector<RenderedFile> render_figures(std::span<const Report> reports) {
  std::vector<RenderedFile> files;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    for (const Plot& plot : plots_of(reports[i])) {
      const std::string stem =
          (reports.size() > 1 ? std::to_string(i + 1) + "-" : std::string()) + plot.file;
      for (const int width : {kColumn_mm, kPage_mm}) {
        files.push_back({stem + "-" + std::to_string(width) + "mm.svg", svg_of(plot, width)});
      }
      files.push_back({stem + ".csv", csv_of(plot)});
    }
  }
  return files;
}

Error takes_one_report(const std::string& format, std::size_t given) {
  return usage(
      "format " + format + " is of one report, and " + std::to_string(given) + " are given",
      "one report, or another format", format == "json" ? "jsonl takes several" : "");
}

namespace {

FormatRequest read_entry(std::string_view entry, const std::vector<std::string_view>& known) {
  const auto equals = entry.find('=');
  const std::string name(entry.substr(0, equals));
  if (std::ranges::find(known, name) == known.end()) {
    throw configuration("--format '" + name + "' is not known", joined(known, " | "),
                        settings::did_you_mean(name, known));
  }
  if (equals == std::string_view::npos) return {name, ""};
  const std::string file(entry.substr(equals + 1));
  if (file.empty()) throw configuration("--format '" + name + "=' names no file", "FORMAT=FILE");
  return {name, file};
}

}  // namespace

std::vector<FormatRequest> read_format_requests(std::string_view text,
                                                const std::vector<std::string_view>& known) {
  std::vector<FormatRequest> requests;
  for (const std::string_view entry : split(text, ",")) {
    const FormatRequest request = read_entry(entry, known);
    const bool twice = std::ranges::any_of(requests, [&](const FormatRequest& other) {
      return other.file == request.file && (!other.file.empty() || other.format == request.format);
    });
    if (twice) {
      throw configuration(request.file.empty() ? "--format names " + request.format + " twice"
                                               : "--format writes '" + request.file + "' twice");
    }
    requests.push_back(request);
  }
  return requests;
}

namespace {

// A folder may have any name, but a person who types such an ending expects a file.
bool is_name_of_a_file(const std::string& name) {
  constexpr std::string_view kEndings[] = {".svg", ".png", ".pdf", ".html", ".csv"};
  const std::string ending = lower_case(std::filesystem::path(name).extension().string());
  return std::ranges::find(kEndings, ending) != std::end(kEndings);
}

}  // namespace

std::vector<RenderRequest> read_render_requests(std::string_view text) {
  std::vector<RenderRequest> requests;
  for (const auto& [name, file] : read_format_requests(text, format_names())) {
    const Format format = find_format(name).value();
    if (is_folder(format) && file.empty()) {
      throw configuration("--format '" + name + "' names no folder", name + "=FOLDER",
                          "it is more than one file");
    }
    if (is_folder(format) && is_name_of_a_file(file)) {
      const std::string folder = std::filesystem::path(file).replace_extension().string();
      throw configuration(
          "--format '" + name + "=" + file + "' names a file", name + "=FOLDER",
          "it is more than one file: `--format " + shell_word(name + "=" + folder) + "`" +
              (format == Format::kSvg ? "; badge=" + file + " is one picture" : ""));
    }
    requests.push_back({format, file});
  }
  return requests;
}

namespace {

constexpr std::array kWrittenBesides{Format::kMarkdown, Format::kHtml};

}  // namespace

void write_renderings(const std::filesystem::path& folder, const Report& report) {
  try {
    for (const Format format : kWrittenBesides) {
      write_atomically(folder / file_name(format), render(format, std::span(&report, 1)));
    }
  } catch (...) {
    std::error_code ignored;
    for (const Format format : kWrittenBesides)
      std::filesystem::remove(folder / file_name(format), ignored);
    throw;
  }
}

}  // namespace scalemark::reporting
