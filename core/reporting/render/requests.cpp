#include "core/reporting/render/requests.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"

namespace scalemark::reporting {
namespace {

FormatRequest read_entry(std::string_view entry, const std::vector<std::string_view>& known) {
  const auto equals = entry.find('=');
  const std::string name(entry.substr(0, equals));
  if (std::ranges::find(known, name) == known.end()) {
    throw configuration("--format '" + name + "' is not known", joined(known, " | "));
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

std::vector<RenderRequest> read_render_requests(std::string_view text) {
  std::vector<RenderRequest> requests;
  for (const auto& [name, file] : read_format_requests(text, format_names())) {
    const Format format = find_format(name).value();
    if (is_folder(format) && file.empty()) {
      throw configuration("--format '" + name + "' names no folder", name + "=FOLDER",
                          "it is more than one file");
    }
    requests.push_back({format, file});
  }
  return requests;
}

}  // namespace scalemark::reporting
