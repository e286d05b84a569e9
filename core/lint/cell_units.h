// A number in a cell may have a unit behind it. Pure.
#pragma once

#include <string>

namespace scalemark::lint {

enum class Unit {
  kNone,   // "3,100", "3,100 (fp16)"
  kRate,   // "310 img/s", "24/s"
  kTime,   // "90 min", "1:20:00"
  kTimes,  // "7.9x"
  kOther,  // "16 GB", "98 %", no number
};

Unit unit_of(const std::string& cell);

}  // namespace scalemark::lint
