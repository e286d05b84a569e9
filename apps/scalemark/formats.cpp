#include "apps/scalemark/formats.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/file_checks.h"
#include "apps/scalemark/machine_probe.h"
#include "core/base/characters.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/settings/machine.h"
#include "report/keep/disk.h"
#include "report/keep/output_folder.h"
#include "report/record/report_json.h"

namespace scalemark::cli {
namespace {

void make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw cannot_create("--format '" + folder.string() + "': " + failed.message());
}

void add_files(const reporting::RenderRequest& request, std::span<const reporting::Report> reports,
               reporting::Withheld withheld, OutputFiles& outputs, std::vector<OutputText>& texts) {
  auto files = reporting::render_files(request.format, reports, withheld);
  if (files.empty()) {
    const bool is_figures = request.format == reporting::Format::kSvg;
    return print_note("--format " + std::string(reporting::format_name(request.format)) +
                      ": the report has no " + (is_figures ? "figure" : "run of a training"));
  }
  for (auto& [name, text] : files) {
    const auto file = std::filesystem::path(request.file) / name;
    if (std::filesystem::exists(file)) outputs.check("--format", file.string());
    texts.push_back({file, std::move(text)});
  }
  print_note("--format " + std::string(reporting::format_name(request.format)) + ": " +
             counted(files.size(), "file") + " in " + request.file);
}

}  // namespace

std::vector<reporting::RenderRequest> read_formats(const settings::ToolValues& values,
                                                   OutputFiles& outputs) {
  auto requests = reporting::read_render_requests(values.text("format").value_or("table"));
  for (const auto& request : requests) {
    if (reporting::is_folder(request.format)) {
      refuse_unwritable_folder("--format", request.file);
    } else if (!request.file.empty()) {
      outputs.check("--format", request.file);
    }
  }
  return requests;
}

void write_formats(const std::vector<reporting::RenderRequest>& requests, OutputFiles& outputs,
                   const std::function<std::string(const reporting::RenderRequest&)>& rendered,
                   std::span<const reporting::Report> reports, reporting::Withheld withheld) {
  std::vector<OutputText> texts;
  for (const auto& request : requests) {
    if (reporting::is_folder(request.format)) {
      add_files(request, reports, withheld, outputs, texts);
    } else {
      const bool for_people = request.format == reporting::Format::kTable;
      const std::string text = rendered(request);
      texts.push_back({request.file, for_people ? shown_text(text) : text, for_people});
    }
  }
  write_all(texts, outputs);
}

void write_all(const std::vector<OutputText>& texts, const OutputFiles& outputs) {
  for (const auto& [file, text, for_people] : texts) {
    if (!file.empty()) outputs.check_content("--format", file, text);
  }
  for (const auto& [file, text, for_people] : texts) {
    if (file.empty()) {
      for_people ? print_result(text) : print_data(text);
    } else {
      if (file.has_parent_path()) make_folder(file.parent_path());
      write_output(file, text);
    }
  }
}

std::vector<reporting::FormatRequest> read_texts(const settings::ToolValues& values,
                                                 const std::vector<std::string_view>& known,
                                                 OutputFiles& outputs) {
  const std::string asked =
      values.given("format") ? values.text("format").value() : std::string(known.front());
  auto requests = reporting::read_format_requests(asked, known);
  for (const auto& [format, file] : requests) {
    if (!file.empty()) outputs.check("--format", file);
  }
  return requests;
}

void write_texts(const std::vector<reporting::FormatRequest>& requests, const OutputFiles& outputs,
                 const std::function<std::string(const std::string&, bool)>& rendered) {
  std::vector<OutputText> texts;
  for (const auto& [format, file] : requests) {
    const std::string text = rendered(format, file.empty());
    const bool for_people = format == "table";
    texts.push_back({file, for_people ? shown_text(text) : text, for_people});
  }
  write_all(texts, outputs);
}

std::optional<std::filesystem::path> report_folder(const settings::ToolValues& values) {
  const auto pattern = values.text("output");
  if (!pattern) return std::nullopt;
  const auto folder = settings::fill_placeholders(*pattern, probe_place(""));
  if (!folder) {
    throw configuration("--output " + *pattern, "{host}, {job} and {date} are filled in");
  }
  reporting::refuse_used_folder(*folder, values.on("overwrite")
                                             ? reporting::ExistingFolder::kContinue
                                             : reporting::ExistingFolder::kRefuse);
  reporting::refuse_foreign_files(*folder, "report.json");
  return *folder;
}

void write_report(const std::filesystem::path& folder, const reporting::Report& report) {
  reporting::make_folder(folder);
  reporting::write_atomically(folder / "report.json", reporting::to_json(report));
  print_note("written: " + (folder / "report.json").string());
}

}  // namespace scalemark::cli
