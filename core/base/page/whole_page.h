// All HTML pages of the program have this in common: the style, elements, charts (Chart.js), light
// and dark. Knows no page.
#pragma once

#include <string>
#include <string_view>

namespace scalemark::page {

// `frame` with its places @STYLE@, @CHARTS@ and @SCRIPT@, which come in this order, filled in: what
// pages share, and behind it the `script` of this one.
std::string whole_page(std::string frame, std::string_view script);

// These are texts, made at build time by cmake/embed_text.cmake. Private to whole_page.cpp.
extern const char* const kStyle;         // page.css
extern const char* const kScript;        // the scripts, in order
extern const char* const kChartLibrary;  // chart.min.js

}  // namespace scalemark::page
