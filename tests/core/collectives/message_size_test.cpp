#include <gtest/gtest.h>

#include "core/collectives/collective.h"

namespace scalemark::collectives {
namespace {

TEST(ParseMessageSize, BytesAndElements) {
  EXPECT_EQ(parse_message_size("4KiB"), (MessageSize{4096, false}));
  EXPECT_EQ(parse_message_size("1MB"), (MessageSize{1'000'000, false}));
  EXPECT_EQ(parse_message_size("4096"), (MessageSize{4096, false}));
  EXPECT_EQ(parse_message_size("4096B"), (MessageSize{4096, false}));
  EXPECT_EQ(parse_message_size("1Mi:elem"), (MessageSize{1 << 20, true}));
  EXPECT_EQ(parse_message_size("1000:elem"), (MessageSize{1000, true}));
  EXPECT_EQ(parse_message_size("1k:elem"), (MessageSize{1000, true}));
  for (const char* bad : {"", "0", "-1", "x", "1.5MiB", "4kib", "4 KiB", ":elem", "0:elem",
                          "1KiB:elem", "1:elems", "B", "2048TiB", "99999999999999999999"}) {
    EXPECT_FALSE(parse_message_size(bad)) << bad;
  }
}

TEST(MessageSize, TextsReadBack) {
  for (const char* text : {"1KiB", "64MiB", "1008B", "1GiB", "1Mi:elem", "1000:elem", "3TiB"}) {
    EXPECT_EQ(to_text(*parse_message_size(text)), text);
  }
  EXPECT_EQ(to_text(*parse_message_size("4096")), "4KiB");
  EXPECT_EQ(to_text(*parse_message_size("1MB")), "1000000B");
}

TEST(ElementsOf, DependOnTheType) {
  EXPECT_EQ(elements_of({4096, false}, DataType::kFp32), 1024);
  EXPECT_EQ(elements_of({4096, false}, DataType::kBf16), 2048);
  EXPECT_EQ(elements_of({4096, true}, DataType::kBf16), 4096);
  EXPECT_EQ(elements_of({3, false}, DataType::kInt32), 0);
}

std::vector<std::string> texts(const char* low, const char* high, const char* step,
                               bool geometric) {
  std::vector<std::string> all;
  for (const MessageSize& size : size_range(low, high, step, geometric, 100)) {
    all.push_back(to_text(size));
  }
  return all;
}

TEST(SizeRange, MultipliesOrAdds) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(texts("1KiB", "64KiB", "4", true), (Texts{"1KiB", "4KiB", "16KiB", "64KiB"}));
  EXPECT_EQ(texts("1KiB", "63KiB", "4", true), (Texts{"1KiB", "4KiB", "16KiB"}));
  EXPECT_EQ(texts("1KiB", "3KiB", "1KiB", false), (Texts{"1KiB", "2KiB", "3KiB"}));
  EXPECT_EQ(texts("8", "16", "4", false), (Texts{"8B", "12B", "16B"}));
  EXPECT_EQ(texts("1Ki:elem", "1Mi:elem", "1024", true), (Texts{"1Ki:elem", "1Mi:elem"}));
  EXPECT_EQ(texts("1Ki:elem", "2Ki:elem", "1Ki:elem", false), (Texts{"1Ki:elem", "2Ki:elem"}));
}

TEST(SizeRange, RefusesWhatIsNone) {
  EXPECT_TRUE(texts("4KiB", "1KiB", "2", true).empty());
  EXPECT_TRUE(texts("1KiB", "4KiB", "1", true).empty());
  EXPECT_TRUE(texts("1KiB", "4KiB", "2KiB", true).empty());
  EXPECT_TRUE(texts("1KiB", "4Ki:elem", "2", true).empty());
  EXPECT_TRUE(texts("1Ki:elem", "4Ki:elem", "1KiB", false).empty());
  EXPECT_TRUE(texts("1", "1000", "1", false).empty()) << "more than 100";
}

}  // namespace
}  // namespace scalemark::collectives
