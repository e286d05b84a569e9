#include "apps/scalemark/metrics_options.h"

#include <gtest/gtest.h>

namespace scalemark::cli {
namespace {

settings::RawSettings given(const std::string& port, const std::string& token = {}) {
  settings::RawSettings raw{{"metrics_port", {port, "option"}}};
  if (!token.empty()) raw["metrics_token"] = {token, "option"};
  return raw;
}

// "HOST PORT", or the first problem.
std::string address_of(const settings::RawSettings& raw) {
  std::vector<settings::Problem> problems;
  const auto address = metrics_address(raw, problems);
  if (!problems.empty()) return settings::to_line(problems.front());
  return address ? address->host + " " + std::to_string(address->port) : "none";
}

TEST(MetricsOptions, NameAnAddress) {
  EXPECT_EQ(address_of({}), "none");
  EXPECT_EQ(address_of(given("29400")), "127.0.0.1 29400");
  EXPECT_EQ(address_of(given("auto")), "127.0.0.1 0");
  EXPECT_EQ(address_of(given("localhost:80")), "localhost 80");
  EXPECT_EQ(address_of(given("[::1]:29400")), "::1 29400");
  EXPECT_EQ(address_of(given("0.0.0.0:29400", "file")), "0.0.0.0 29400");
}

TEST(MetricsOptions, WhatIsNoneIsRefused) {
  for (const char* text : {"", "0", "65536", "99999999999999999999", "-1", "x", "n7", "n7:", ":80",
                           "n7:0", "n7:auto", "file:/tmp/x", "::1:80", "http://n7:80"}) {
    EXPECT_NE(address_of(given(text))
                  .find("a PORT from 1 to 65535, HOST:PORT or auto (any free port) is allowed"),
              std::string::npos)
        << text;
  }
}

TEST(MetricsOptions, ATokenAloneIsRefused) {
  EXPECT_NE(address_of({{"metrics_token", {"file", "option"}}}).find("no page is served"),
            std::string::npos);
}

TEST(MetricsOptions, OffLoopbackATokenIsNeeded) {
  for (const char* text : {"0.0.0.0:29400", "n7:29400", "[::]:29400", "192.0.2.1:29400"})
    EXPECT_NE(address_of(given(text)).find("needs --metrics-token FILE"), std::string::npos);
}

}  // namespace
}  // namespace scalemark::cli
