#include "core/reporting/render/redact.h"

#include <gtest/gtest.h>

#include "tests/core/reporting/sample_report.h"

namespace scalemark::reporting {
namespace {

std::string redacted_text(const std::string& text) {
  Report report = sample_report(1, false);
  report.findings = {{"x", "info", "", text}};
  return redacted(report).findings.front().text;
}

TEST(Redact, SaysWhereAPlaceCameFromButNotThePlace) {
  Report report = sample_report(1, false);
  report.invocation.origins = {{"data", "option"},
                               {"output", "default"},
                               {"torch", "environment"},
                               {"save", "config mine.json"},
                               {"vocab", "config /home/ada/my runs/mine.json"}};
  EXPECT_EQ(redacted(report).invocation.origins,
            (std::map<std::string, std::string>{{"data", "option"},
                                                {"output", "default"},
                                                {"torch", "environment"},
                                                {"save", "config <path>"},
                                                {"vocab", "config <path>"}}));
}

TEST(Redact, CoversAddressesOfBothKinds) {
  EXPECT_EQ(redacted_text("peer 10.1.2.3:29500 left"), "peer <address>:29500 left");
  EXPECT_EQ(redacted_text("peer [fe80::1a2b:3c%eth0]:29500 left"), "peer [<address>]:29500 left");
  EXPECT_EQ(redacted_text("2001:db8:0:1:2:3:4:5 and 2001:DB8::7, ::1."),
            "<address> and <address>, <address>.");
  EXPECT_EQ(redacted_text("mapped ::ffff:10.0.0.7"), "mapped <address>");
}

TEST(Redact, TakesNothingElseForAnAddress) {
  for (const char* text : {"cuda:0 at 2026-01-02T03:04:05Z", "std::bad_alloc, at::native, a::b()",
                           "c10::Error in c10d::Reducer", "0:1:2 of 3:4", "x :: y"}) {
    EXPECT_EQ(redacted_text(text), text);
  }
}

}  // namespace
}  // namespace scalemark::reporting
