#include "apps/scalemark/formats.h"

#include <filesystem>
#include <system_error>

#include "apps/scalemark/commands.h"
#include "apps/scalemark/file_checks.h"
#include "core/reporting/output/disk.h"

namespace scalemark::cli {

namespace {

void make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw cannot_create("--format '" + folder.string() + "': " + failed.message());
}

void write_folder(const reporting::RenderRequest& request,
                  std::span<const reporting::Report> reports) {
  const auto files = reporting::render_files(request.format, reports);
  if (files.empty()) {
    const bool is_figures = request.format == reporting::Format::kSvg;
    return print_note("--format " + std::string(reporting::format_name(request.format)) +
                      ": the report has no " + (is_figures ? "figure" : "run of a training"));
  }
  for (const auto& [name, text] : files) {
    const auto file = std::filesystem::path(request.file) / name;
    make_folder(file.parent_path());
    reporting::write_atomically(file, text);
  }
}

}  // namespace

std::vector<reporting::RenderRequest> read_formats(const settings::ToolValues& values) {
  auto requests = reporting::read_render_requests(values.text("format").value_or("table"));
  for (const auto& request : requests) {
    if (reporting::is_folder(request.format)) {
      refuse_unwritable_folder("--format", request.file);
    } else if (!request.file.empty()) {
      refuse_unwritable_file("--format", request.file);
    }
  }
  return requests;
}

void write_formats(const std::vector<reporting::RenderRequest>& requests,
                   const std::function<std::string(const reporting::RenderRequest&)>& rendered,
                   std::span<const reporting::Report> reports) {
  for (const auto& request : requests) {
    if (reporting::is_folder(request.format)) {
      write_folder(request, reports);
      continue;
    }
    const std::string text = rendered(request);
    if (request.file.empty()) {
      print_result(text);
    } else {
      reporting::write_atomically(request.file, text);
    }
  }
}

void write_texts(const settings::ToolValues& values, const std::vector<std::string_view>& known,
                 const std::function<std::string(const std::string&, bool)>& rendered) {
  const std::string asked =
      values.given("format") ? values.text("format").value() : std::string(known.front());
  const auto requests = reporting::read_format_requests(asked, known);
  for (const auto& [format, file] : requests) {
    if (!file.empty()) refuse_unwritable_file("--format", file);
  }
  for (const auto& [format, file] : requests) {
    const std::string text = rendered(format, file.empty());
    file.empty() ? static_cast<void>(print_result(text)) : reporting::write_atomically(file, text);
  }
}

}  // namespace scalemark::cli
