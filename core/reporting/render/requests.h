// --format asks for renderings: "md,html=page.html". Pure; knows no files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/reporting/render/render.h"

namespace scalemark::reporting {

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

}  // namespace scalemark::reporting
