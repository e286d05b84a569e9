#include "core/base/error.h"

#include <gtest/gtest.h>

namespace scalemark {
namespace {

TEST(FormatErrorLine, SaysEverythingInOneFixedForm) {
  EXPECT_EQ(format_error_line({.code = "E_RANKS_DISAGREE",
                               .exit_code = ExitCode::kRanksDisagree,
                               .what = "batch_size is 32 here",
                               .expected = "rank 0 has 64",
                               .hint = "start every rank with the same options",
                               .rank = 3,
                               .host = "n7",
                               .phase = "preflight"}),
            "scalemark: error E_RANKS_DISAGREE (exit 76) rank=3 host=n7 phase=preflight: "
            "batch_size is 32 here; rank 0 has 64. Hint: start every rank with the same options");
}

TEST(FormatErrorLine, StaysOneLineWhateverTheFieldsHold) {
  const auto line = format_error_line({.code = "E_IO", .what = "cannot open a\nb\x01.jpg"});
  EXPECT_EQ(line, "scalemark: error E_IO (exit 70): cannot open a\\nb\\x01.jpg.");
}

}  // namespace
}  // namespace scalemark
