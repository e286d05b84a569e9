#include "core/reporting/render/requests.h"

#include <algorithm>

#include "core/base/error.h"

namespace scalemark::reporting {
namespace {

std::string known_formats() {
  std::string text;
  for (const auto name : format_names()) text += (text.empty() ? "" : " | ") + std::string(name);
  return text;
}

RenderRequest read_entry(std::string_view entry) {
  const auto equals = entry.find('=');
  const std::string name(entry.substr(0, equals));
  const auto format = find_format(name);
  if (!format) throw configuration("--format '" + name + "' is not known", known_formats());
  if (equals == std::string_view::npos) return {*format, ""};
  const std::string file(entry.substr(equals + 1));
  if (file.empty()) throw configuration("--format '" + name + "=' names no file", "FORMAT=FILE");
  return {*format, file};
}

}  // namespace

std::vector<RenderRequest> read_render_requests(std::string_view text) {
  std::vector<RenderRequest> requests;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const RenderRequest request = read_entry(text.substr(begin, end - begin));
    begin = end + 1;
    const bool twice = std::ranges::any_of(requests, [&](const RenderRequest& other) {
      return other.file == request.file && (!other.file.empty() || other.format == request.format);
    });
    if (twice) {
      throw configuration(request.file.empty()
                              ? "--format names " + std::string(format_name(request.format)) +
                                    " twice"
                              : "--format writes '" + request.file + "' twice");
    }
    requests.push_back(request);
  }
  return requests;
}

}  // namespace scalemark::reporting
