// How deep a JSON text nests, before it is parsed. Our parser reads any depth, but copying,
// comparing and printing its values recurse once per level: a hostile file of brackets would
// overflow the stack.
#pragma once

#include <string_view>

namespace scalemark {

inline constexpr int kDeepestJson = 64;  // our own documents need 10

// Whether objects and lists nest deeper than kDeepestJson up to the first error of syntax. Brackets
// within strings do not count.
bool nests_too_deep(std::string_view json);

}  // namespace scalemark
