// A file that the program holds as text; cmake/embed_text.cmake makes lists of them.
#pragma once

#include <string_view>

namespace scalemark {

struct NamedText {
  std::string_view name;  // its path below the folder, without the ending
  std::string_view text;
};

}  // namespace scalemark
