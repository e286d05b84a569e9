// The parts of the HTML page that are a report's and do not depend on which, as text: made at build
// time from page/* by cmake/embed_text.cmake. Private to html.cpp.
#pragma once

namespace scalemark::reporting {

extern const char* const kPageFrame;   // page.html, with placeholders @STYLE@ @DATA@ ...
extern const char* const kPageScript;  // the scripts, in order

}  // namespace scalemark::reporting
