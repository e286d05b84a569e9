// A command's result takes the forms of --format, and is written into the files and the folder that
// --format and --output name.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/scalemark/outputs.h"
#include "apps/scalemark/sources.h"
#include "core/settings/reader.h"
#include "report/record/report.h"
#include "report/say/render/render.h"

namespace scalemark::cli {

struct OutputText {
  std::filesystem::path file;  // empty: stdout
  std::string text;
  bool for_people = false;  // folded at a terminal
};

// Prints or writes all texts; none of them where one would replace what
// OutputFiles::check_content() refuses.
void write_all(const std::vector<OutputText>& texts, const OutputFiles& outputs);

// Throws as read_render_requests() does, and as OutputFiles for a file that cannot be written: half
// of what was asked for would be worse than nothing.
std::vector<reporting::RenderRequest> read_formats(const settings::ToolValues& values,
                                                   OutputFiles& outputs);

// Prints each rendering, or writes it into its file; files of `reports` into their folder.
void write_formats(const std::vector<reporting::RenderRequest>& requests, OutputFiles& outputs,
                   const std::function<std::string(const reporting::RenderRequest&)>& rendered,
                   std::span<const reporting::Report> reports = {},
                   reporting::Withheld withheld = reporting::Withheld::kLeftOut);

// Reads --format of a command with formats of its own; without it the first of `known` is meant.
std::vector<reporting::FormatRequest> read_texts(const settings::ToolValues& values,
                                                 const std::vector<std::string_view>& known,
                                                 OutputFiles& outputs);

// Prints or writes each format; `rendered` makes its text.
void write_texts(
    const std::vector<reporting::FormatRequest>& requests, const OutputFiles& outputs,
    const std::function<std::string(const std::string& format, bool on_stdout)>& rendered);

// Returns --output of a command that trains nothing, with its placeholders filled in; absent when
// it is not given. Throws configuration() (78) for an unknown placeholder, cannot_create() (73) for
// a folder in use without --overwrite.
std::optional<std::filesystem::path> report_folder(const settings::ToolValues& values);

// Makes the folder and writes its report.json, keeping its other files, with a note on stderr.
// Throws cannot_create() (73) and io_error() (74).
void write_report(const std::filesystem::path& folder, const reporting::Report& report);

}  // namespace scalemark::cli
