// Results on stdout. Knows nothing of what they are.
#pragma once

#include <string_view>

namespace scalemark {

// Writes all of `text` at once, past the buffers of iostreams. Throws io_error() (74) where stdout
// does not take it: a full disk, a closed descriptor. A reader that has gone (`| head`) has what it
// wanted: that is no error.
void write_to_stdout(std::string_view text);

}  // namespace scalemark
