#include "apps/scalemark/predict_format.h"

#include <cstdarg>
#include <cstdio>

#include "core/base/text.h"

namespace scalemark::cli {

std::string text(const char* format, ...) {
  char buffer[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(buffer, sizeof buffer, format, values);
  va_end(values);
  return buffer;
}

std::string rate(double value) { return value < 100 ? text("%.2f", value) : grouped(value); }

}  // namespace scalemark::cli
