// Marks the functions that take the place of a library's; everything else stays inside.
#pragma once

#define NULLCUDA_API extern "C" __attribute__((visibility("default")))
