// --format: what a command's result is shown as, and where it goes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "apps/scalemark/sources.h"
#include "core/reporting/render/requests.h"

namespace scalemark::cli {

// Throws as read_render_requests() does, and cannot_create() (73) for a file that cannot be
// written: half of what was asked for would be worse than nothing.
std::vector<reporting::RenderRequest> read_formats(const settings::ToolValues& values);

// Prints each rendering, or writes it into its file; figures of `reports` into their folder.
void write_formats(const std::vector<reporting::RenderRequest>& requests,
                   const std::function<std::string(const reporting::RenderRequest&)>& rendered,
                   std::span<const reporting::Report> reports = {});

}  // namespace scalemark::cli
