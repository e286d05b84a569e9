#include "apps/scalemark/predict_format.h"

#include <cstdarg>
#include <cstdio>

namespace scalemark::cli {

std::string text(const char* format, ...) {
  char buffer[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(buffer, sizeof buffer, format, values);
  va_end(values);
  return buffer;
}

std::string rate(double value) {
  if (value < 100) return text("%.2f", value);
  std::string digits = text("%.0f", value);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), ",");
  }
  return digits;
}

}  // namespace scalemark::cli
