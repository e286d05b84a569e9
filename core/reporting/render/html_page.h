// The parts of the HTML page that do not depend on a report, as text: made at build time from
// page/* and Chart.js by cmake/embed_text.cmake. Private to html.cpp.
#pragma once

namespace scalemark::reporting {

extern const char* const kPageFrame;     // page.html, with placeholders @STYLE@ @DATA@ ...
extern const char* const kPageStyle;     // page.css
extern const char* const kPageScript;    // the scripts, in order
extern const char* const kChartLibrary;  // chart.min.js

}  // namespace scalemark::reporting
