#include "core/live/tensorboard/events.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace scalemark::tensorboard {
namespace {

std::string from_hex(std::string_view text) {
  std::string bytes;
  std::string digits;
  for (const char letter : text) {
    if (letter == ' ') continue;
    digits += letter;
    if (digits.size() < 2) continue;
    bytes += static_cast<char>(std::stoi(digits, nullptr, 16));
    digits.clear();
  }
  return bytes;
}

// The messages of whole records; TensorBoard checks their checksums.
std::vector<std::string> messages_in(std::string_view bytes) {
  std::vector<std::string> messages;
  while (!bytes.empty()) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    messages.emplace_back(bytes.substr(12, length));
    bytes.remove_prefix(12 + length + 4);
  }
  return messages;
}

TEST(TensorBoardEvents, BeginWithTheVersion) {
  Events events;
  events.begin(1.5);
  // Length 24 and its masked CRC32C are those at the head of every file that TensorBoard writes.
  EXPECT_EQ(events.bytes().substr(0, 12), from_hex("18 00 00 00 00 00 00 00 a3 7f 4b 22"));
  EXPECT_EQ(
      messages_in(events.bytes()),
      std::vector<std::string>{from_hex("09 00 00 00 00 00 00 f8 3f 1a 0d") + "brain.Event:2"});
}

TEST(TensorBoardEvents, AScalarIsTheseBytes) {
  Events events;
  events.scalar("a/b", 300, 2, 0.5);
  EXPECT_EQ(messages_in(events.bytes()),
            std::vector<std::string>{from_hex("09 00 00 00 00 00 00 00 40 10 ac 02 2a 0c 0a 0a") +
                                     from_hex("0a 03 61 2f 62 15 00 00 00 3f")});
  EXPECT_EQ(events.take().size(), 12U + 26 + 4);
  EXPECT_EQ(events.bytes(), "");
}

TEST(TensorBoardEvents, TheFirstValueOfATagHasItsDescription) {
  const auto described = [](std::string_view tag) {
    Events events;
    events.scalar(tag, 1, 0, 0.5);
    const std::string first = messages_in(events.take()).front();
    events.scalar(tag, 1, 0, 0.5);
    const std::string second = messages_in(events.take()).front();
    EXPECT_LT(second.size(), 60U) << "it is described once";
    return first.size() > second.size() ? first.substr(second.size()) : std::string();
  };
  const auto has = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(described("Summary/loss"), "training loss, mean over the ranks"));
  EXPECT_TRUE(described("Summary/loss").ends_with(from_hex("20 01")));  // a scalar
  EXPECT_TRUE(has(described("Summary/evaluation_top-1"), "a metric, as top-1"));
  EXPECT_TRUE(has(described("time/forward_seconds"), "mean time of this phase"));
  EXPECT_TRUE(has(described("time/step_seconds"), "the slowest rank"));
  EXPECT_TRUE(has(described("machine/busy_cpus"), "telemetry"));
  EXPECT_EQ(described("mine/own"), "");
  Events events;
  events.histogram("weights/a.b", 0, 0, count_values(std::vector<float>{1}));
  EXPECT_TRUE(events.bytes().substr(0, events.bytes().size() - 4).ends_with(from_hex("20 02")));
}

TEST(TensorBoardEvents, TheSummaryComesFirst) {
  for (const Tag& tag : tags()) {
    const std::string name = tag.name;
    EXPECT_TRUE(name.starts_with("Summary/") || name > "Summary/~") << name;
    EXPECT_GT(std::string_view(tag.meaning).size(), 10U) << name;
  }
}

TEST(TensorBoardEvents, AZeroStandsThereButStepAndTimeZeroDoNot) {
  Events events;
  events.scalar("a", 0, 0, 0);
  EXPECT_EQ(messages_in(events.bytes()),
            std::vector<std::string>{from_hex("2a 0a 0a 08 0a 01 61 15 00 00 00 00")});
}

TEST(TensorBoardEvents, AHistogramHasAnEmptyBucketForAGap) {
  Events events;
  events.histogram("h", 1, 0, count_values(std::vector<float>{1, 1.2F, 1.2F, 4}));
  const std::string message = messages_in(events.bytes()).front();
  std::string limits(2, '\0'), counts(2, '\0');
  const auto put = [](std::string& out, double value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const double edge : {1.0, 1.125, 1.25, 4.0, 4.5}) put(limits, edge);
  for (const double count : {0.0, 1.0, 2.0, 0.0, 1.0}) put(counts, count);
  limits.replace(0, 2, "\x32\x28");  // fields 6 and 7, 40 bytes each
  counts.replace(0, 2, "\x3A\x28");
  EXPECT_TRUE(message.ends_with(limits + counts));
}

TEST(TensorBoardEvents, ASessionHoldsItsParameters) {
  Events events;
  events.begin_session({.group = "g",
                        .started = 0,
                        .parameters = {{"b", true}, {"n", 2.0}, {"t", std::string("x")}}});
  events.end_session(false, 0);
  const auto messages = messages_in(events.bytes());
  ASSERT_EQ(messages.size(), 2U);
  const std::string parameters = from_hex("0a 07 0a 01 62 12 02 20 01") +
                                 from_hex("0a 0e 0a 01 6e 12 09 11 00 00 00 00 00 00 00 40") +
                                 from_hex("0a 08 0a 01 74 12 03 1a 01 78") + from_hex("22 01 67");
  EXPECT_NE(messages[0].find("_hparams_/session_start_info"), std::string::npos);
  EXPECT_TRUE(messages[0].ends_with(parameters));
  EXPECT_NE(messages[1].find("_hparams_/session_end_info"), std::string::npos);
  EXPECT_TRUE(messages[1].ends_with(from_hex("22 02 08 02")));
}

TEST(TensorBoardEvents, TextsAreRepaired) {
  const auto tag_of = [](std::string_view tag) {
    Events events;
    events.scalar(tag, 0, 0, 0);
    const std::string message = messages_in(events.bytes()).front();
    return message.substr(6, message.size() - 6 - 5);
  };
  const std::string good = "a\xC3\xB6\xE6\xA9\x9F\xF0\x9F\x94\xA5";
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(tag_of(good), good);
  EXPECT_EQ(tag_of("x\xFF\xC0y"), "x" + bad + bad + "y");
  EXPECT_EQ(tag_of("\xC0\xAF"), bad + bad);            // overlong
  EXPECT_EQ(tag_of("\xED\xA0\x80"), bad + bad + bad);  // half of a pair of UTF-16
  EXPECT_EQ(tag_of("\xF4\x90\x80\x80").size(), 4 * bad.size());
  EXPECT_EQ(tag_of("\xE6\xA9"), bad + bad);
}

TEST(TensorBoardEvents, FilesSortByTime) {
  EXPECT_EQ(event_file_name(1767323045.9), "events.out.tfevents.1767323045.scalemark");
  EXPECT_EQ(event_file_name(0), "events.out.tfevents.0000000000.scalemark");
}

}  // namespace
}  // namespace scalemark::tensorboard
