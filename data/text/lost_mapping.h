// Which addresses are files, and what happens when one of them is gone (SIGBUS). For
// mapped_file.cpp only.
#pragma once

#include <cstddef>
#include <span>

namespace scalemark::data {

// From now on a SIGBUS inside `bytes` is a lost file. `name` must live as long as the guard.
std::size_t guard_mapping(std::span<const std::byte> bytes, const char* name);
void end_guard(std::size_t guard);

}  // namespace scalemark::data
