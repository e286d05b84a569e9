#include "core/base/error_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace scalemark {
namespace {

TEST(ErrorJson, ComesBackAsItWas) {
  const ErrorRecord record{.code = "E_BAD_SAMPLE",
                           .exit_code = ExitCode::kBadData,
                           .domain = ErrorDomain::kData,
                           .what = "a",
                           .expected = "b",
                           .hint = "c",
                           .rank = 3,
                           .host = "n7",
                           .phase = "window",
                           .point = "p",
                           .step = 12};
  const auto value = to_json_value(record);
  EXPECT_EQ(value.at("domain"), "data");
  EXPECT_EQ(to_json_value(*error_from_json(value)), value);
  EXPECT_FALSE(to_json_value(ErrorRecord{}).contains("rank"));
  EXPECT_FALSE(error_from_json(nlohmann::json{{"code", 1}}));
  EXPECT_FALSE(error_from_json(nlohmann::json::array()));
}

}  // namespace
}  // namespace scalemark
