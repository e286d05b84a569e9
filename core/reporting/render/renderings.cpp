#include "core/reporting/render/renderings.h"

#include <array>
#include <span>

#include "core/reporting/output/disk.h"
#include "core/reporting/render/render.h"

namespace scalemark::reporting {
namespace {

constexpr std::array kWrittenBesides{Format::kMarkdown, Format::kHtml};

}  // namespace

void write_renderings(const std::filesystem::path& folder, const Report& report) {
  try {
    for (const Format format : kWrittenBesides) {
      write_atomically(folder / file_name(format), render(format, std::span(&report, 1)));
    }
  } catch (...) {
    std::error_code ignored;
    for (const Format format : kWrittenBesides)
      std::filesystem::remove(folder / file_name(format), ignored);
    throw;
  }
}

}  // namespace scalemark::reporting
