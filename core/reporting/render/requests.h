// --format asks for renderings: "md,html=page.html". Pure; knows no files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/reporting/render/render.h"

namespace scalemark::reporting {

struct RenderRequest {
  Format format = Format::kTable;
  std::string file;  // empty: stdout
};

// FORMAT or FORMAT=FILE, with commas between. Throws configuration() (78) for an unknown format, an
// empty entry, a format without its file after '=', a format that is asked for twice on stdout, and
// a file named twice.
std::vector<RenderRequest> read_render_requests(std::string_view text);

}  // namespace scalemark::reporting
