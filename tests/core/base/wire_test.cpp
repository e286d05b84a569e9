#include "core/base/wire.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/field.h"
#include "core/base/record_json.h"

namespace scalemark {
namespace {

struct Leaf {
  double number = 0;
  std::optional<std::string> text;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Leaf>& l) {
  a.values(l.number, l.text);
}

enum class Colour { kRed, kBlue };
constexpr auto words_of(Colour) {
  return std::to_array<Word<Colour>>({{Colour::kRed, "red"}, {Colour::kBlue, "blue"}});
}

struct Tree {
  int count = 0;
  bool truth = false;
  Colour colour = Colour::kRed;
  std::string name;
  std::optional<double> low, high;
  std::vector<Leaf> leaves;
  std::map<std::string, std::uint64_t> sizes;
  std::optional<Leaf> only;
  std::vector<double> kept;  // each side keeps its own
  Leaf flat;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Tree>& t) {
  a.record("tree", "An example");
  a("count", t.count, {});
  a.object("inner", [&](auto& inner) { inner("truth", t.truth, {}); }, {});
  a.choice("colour", t.colour, {});
  a.text("name", t.name, {});
  a.pair("ends", t.low, t.high, {});
  a.values(t.leaves, t.sizes, t.only);
  a.stays(t.kept);
  a.part(t.flat, [&](auto& inner) { fields(inner, t.flat); });
}

Tree sample() {
  Tree tree{.count = -3, .truth = true, .colour = Colour::kBlue, .name = std::string("a\0\xff", 3)};
  tree.high = std::nextafter(1.0, 2);
  tree.leaves = {{1e-300, "x"}, {-0.0, std::nullopt}};
  tree.sizes = {{"", std::numeric_limits<std::uint64_t>::max()}, {"b", 0}};
  tree.only = Leaf{std::numeric_limits<double>::infinity(), ""};
  tree.kept = {1};
  return tree;
}

TEST(Wire, EveryMemberArrivesAsItWasSent) {
  const Tree sent = sample();
  const auto got = from_wire<Tree>(to_wire(sent));
  EXPECT_EQ(got.count, -3);
  EXPECT_TRUE(got.truth);
  EXPECT_EQ(got.colour, Colour::kBlue);
  EXPECT_EQ(got.name, sent.name) << "text need not be UTF-8";
  EXPECT_FALSE(got.low) << "an end of a pair may be missing by itself";
  EXPECT_EQ(got.high, sent.high) << "every bit";
  ASSERT_EQ(got.leaves.size(), 2u);
  EXPECT_EQ(got.leaves[0].number, 1e-300);
  EXPECT_EQ(got.leaves[0].text, "x");
  EXPECT_TRUE(std::signbit(got.leaves[1].number));
  EXPECT_FALSE(got.leaves[1].text);
  EXPECT_EQ(got.sizes, sent.sizes);
  ASSERT_TRUE(got.only);
  EXPECT_TRUE(std::isinf(got.only->number));
  EXPECT_EQ(got.only->text, "");
  EXPECT_TRUE(got.kept.empty()) << "it stays where it is";
}

TEST(Wire, ValuesNeedNoRecord) {
  const std::pair<int, double> pair{7, std::nan("")};
  const auto got = from_wire<std::pair<int, double>>(to_wire(pair));
  EXPECT_EQ(got.first, 7);
  EXPECT_TRUE(std::isnan(got.second));
  EXPECT_FALSE(from_wire<std::optional<int>>(to_wire(std::optional<int>())));
  const std::map<std::string, std::string> facts{{"a", "1"}};
  EXPECT_EQ((from_wire<std::map<std::string, std::string>>(to_wire(facts))), facts);
}

TEST(Wire, RefusesWhatNobodySent) {
  const std::string good = to_wire(sample());
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_THROW(from_wire<Tree>(good.substr(0, length)), Error) << length;
  }
  EXPECT_THROW(from_wire<Tree>(good + "x"), Error);
  EXPECT_THROW(from_wire<bool>("\x02"), Error);
  EXPECT_THROW(from_wire<std::string>(std::string(8, '\xff')), Error) << "no such length";
  EXPECT_THROW(from_wire<Colour>(std::string("\x02\0\0\0", 4)), Error);
  EXPECT_FALSE(try_from_wire<Tree>("{}"));
}

TEST(Wire, AnErrorArrivesAsItWasSent) {
  const ErrorRecord sent{.code = "E_BAD_SAMPLE",
                         .exit_code = ExitCode::kBadData,
                         .domain = ErrorDomain::kData,
                         .what = "a \"b\"\n\xff",
                         .expected = "c",
                         .hint = "d",
                         .rank = 3,
                         .host = "n7",
                         .phase = "window",
                         .point = "p",
                         .step = 12};
  const auto got = from_wire<ErrorRecord>(to_wire(sent));
  EXPECT_EQ(format_error_line(got), format_error_line(sent));
  EXPECT_EQ(got.domain, sent.domain);
  EXPECT_EQ(got.step, 12);
  EXPECT_FALSE(from_wire<ErrorRecord>(to_wire(ErrorRecord{})).rank);
}

struct Forgetful {
  int listed = 0;
  std::string forgotten;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<Forgetful>& f) {
  a.values(f.listed);
}

struct TwiceAndNever {
  int twice = 0, never = 0;
};
template <class A>
constexpr void fields(A& a, typename A::template Field<TwiceAndNever>& t) {
  a.values(t.twice, t.twice);
}

template <class T>
constexpr bool lists_each_member() {
  return members::kAreAll<T, members::with_field<T>()>;
}
static_assert(lists_each_member<Tree>());
static_assert(!lists_each_member<Forgetful>(), "a forgotten member does not compile");
static_assert(!lists_each_member<TwiceAndNever>());

}  // namespace
}  // namespace scalemark
