// The page that a browser shows of a run while it runs: one text that needs nothing else but the
// address /now, which it asks every 2 s. Knows no server.
#pragma once

#include <string>

namespace scalemark::live {

// The whole page; always the same.
std::string live_page();

// Its parts as text, made at build time from page/* by cmake/embed_text.cmake. Private to
// live_page.cpp.
extern const char* const kLivePageFrame;   // live.html
extern const char* const kLivePageScript;  // the scripts, in order

}  // namespace scalemark::live
