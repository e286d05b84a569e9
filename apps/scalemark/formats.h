// --format: what a command's result is shown as, and where it goes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/scalemark/sources.h"
#include "core/reporting/render/requests.h"

namespace scalemark::cli {

// Throws as read_render_requests() does, and cannot_create() (73) for a file that cannot be
// written: half of what was asked for would be worse than nothing.
std::vector<reporting::RenderRequest> read_formats(const settings::ToolValues& values);

// Prints each rendering, or writes it into its file; files of `reports` into their folder.
void write_formats(const std::vector<reporting::RenderRequest>& requests,
                   const std::function<std::string(const reporting::RenderRequest&)>& rendered,
                   std::span<const reporting::Report> reports = {});

// The same for a command with formats of its own: `rendered` gets the name of one, and whether it
// goes to stdout. Without --format the first of `known`.
void write_texts(
    const settings::ToolValues& values, const std::vector<std::string_view>& known,
    const std::function<std::string(const std::string& format, bool on_stdout)>& rendered);

}  // namespace scalemark::cli
