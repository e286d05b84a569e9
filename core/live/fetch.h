// Reads a page of a run's HTTP endpoint, as `scalemark top URL` does. Knows no status.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace scalemark::live {

// Whether the text is meant as a URL, of whatever kind.
bool is_url(std::string_view text);

// The page at http://HOST[:PORT][/PATH]; without a path the page /status. `token`: the run's
// --metrics-token; empty: none. Takes at most `limit`. Throws usage() (64) for another kind of URL,
// no_input() (66) where nobody answers in time, E_PERMISSION (77) where the token is not right,
// bad_data() (65) for what is no such page, or more than 64 MiB.
std::string fetch(const std::string& url, const std::string& token,
                  std::chrono::milliseconds limit);

}  // namespace scalemark::live
