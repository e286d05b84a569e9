// Records which addresses are mapped files, and handles the loss of one (SIGBUS). For
// mapped_file.cpp only.
#pragma once

#include <cstddef>
#include <span>

namespace scalemark::data {

// From now on a SIGBUS inside `bytes` means a lost file. `name` must live as long as the guard.
std::size_t guard_mapping(std::span<const std::byte> bytes, const char* name);
void end_guard(std::size_t guard);

}  // namespace scalemark::data
