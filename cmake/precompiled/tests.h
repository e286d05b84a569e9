// Precompiled for the tests that use no torch: parsing GoogleTest costs 1 s a file.
#pragma once

#include <gtest/gtest.h>

#include "standard.h"
