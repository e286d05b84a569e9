#include "core/base/page/whole_page.h"

namespace scalemark::page {
namespace {

void put(std::string& page, std::string_view place, std::string_view text) {
  page.replace(page.find(place), place.size(), text);
}

}  // namespace

std::string whole_page(std::string frame, std::string_view script) {
  // Places are filled from the end to the beginning, so that no text that was put in is searched.
  put(frame, "@SCRIPT@", std::string(kScript) + std::string(script));
  put(frame, "@CHARTS@", kChartLibrary);
  put(frame, "@STYLE@", kStyle);
  return frame;
}

}  // namespace scalemark::page
