#include "apps/scalemark/loading_values.h"

#include "core/base/error.h"
#include "core/base/text.h"

namespace scalemark::cli {

data::ImageDecoding decoding_of(const settings::ToolValues& values) {
  return values.text("image_decoding") == "fast" ? data::ImageDecoding::kFast
                                                 : data::ImageDecoding::kExact;
}

data::OnBadSample on_bad_sample_of(const settings::ToolValues& values) {
  return values.text("on_bad_sample") == "skip" ? data::OnBadSample::kSkip
                                                : data::OnBadSample::kFail;
}

std::string skipped_text(const std::vector<data::SkippedSample>& skipped) {
  if (skipped.empty()) return "";
  std::string text = counted(std::ssize(skipped), "sample") + " per epoch could not be decoded:\n";
  for (const data::SkippedSample& sample : skipped) {
    text += on_one_line(sample.name + ": " + sample.reason) + "\n";
  }
  return text;
}

}  // namespace scalemark::cli
