#include "core/live/answers.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace scalemark::live {
namespace {

Endpoint::Options one_page(std::string token = {}, std::string host = "127.0.0.1") {
  return {.host = std::move(host), .token = std::move(token), .page = [](auto path, auto accept) {
            using Found = std::optional<Endpoint::Page>;
            if (path == "/broken") throw std::runtime_error("a secret");
            return path == "/status" ? Found({"text/html", std::string(accept)}) : Found();
          }};
}

Request asked(std::string_view host, std::string_view target = "/status") {
  return {.method = "GET", .target = target, .accept = "*/*", .authorization = {}, .hosts = {host}};
}

int status_for(std::string_view host, std::string given = "127.0.0.1") {
  return Answers(one_page("", std::move(given)), true).answer(asked(host)).status;
}

TEST(LiveAnswers, KnowLoopback) {
  for (const char* host : {"localhost", "LocalHost", "127.0.0.1", "127.9.8.7", "::1"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host : {"", "128.0.0.1", "127.1", "localhost.evil.org", "127.0.0.1.evil.org",
                           "0.0.0.0", "::", "::2", "n1"})
    EXPECT_FALSE(is_loopback(host)) << host;
}

TEST(LiveAnswers, OnLoopbackAHostHeaderNamesLoopback) {
  for (const char* host : {"localhost", "LOCALHOST:80", "127.0.0.1:29400", "127.4.5.6", "[::1]",
                           "[::1]:29400", "127.0.0.1:"})
    EXPECT_EQ(status_for(host), 200) << host;
  for (const char* host : {"evil.org", "evil.org:29400", "", "::1", "[::1", "[::1]x", "[evil.org]",
                           "127.0.0.1:80x", "127.0.0.1.evil.org", "localhost@evil.org", ":80"})
    EXPECT_EQ(status_for(host), 403) << host;
  EXPECT_EQ(status_for("N1:29400", "n1"), 200) << "the name that was given";
  EXPECT_EQ(status_for("n2:29400", "n1"), 403);

  Answers answers(one_page(), true);
  Request request = asked("localhost");
  request.hosts = {};
  EXPECT_EQ(answers.answer(request).status, 400);
  request.hosts = {"localhost", "localhost"};
  EXPECT_EQ(answers.answer(request).status, 400);
}

TEST(LiveAnswers, OffLoopbackTheHostHeaderDoesNotMatter) {
  Answers answers(one_page("abc"), false);
  Request request = asked("anything");
  request.authorization = "Bearer abc";
  EXPECT_EQ(answers.answer(request).status, 200);
  request.hosts = {};
  EXPECT_EQ(answers.answer(request).status, 200);
}

TEST(LiveAnswers, ATokenIsCheckedBeforePathAndMethod) {
  Answers answers(one_page("a secret of 20 chars"), true);
  for (const char* given :
       {"", "Bearer", "Bearer ", "Bearer a secret of 20 char", "Bearer a secret of 20 charsx",
        "Bearer  a secret of 20 chars", "Basic a secret of 20 chars", "a secret of 20 chars"}) {
    for (const char* target : {"/status", "/nowhere"}) {
      Request request = asked("localhost", target);
      request.authorization = given;
      request.method = target == std::string("/status") ? "GET" : "POST";
      const Answer answer = answers.answer(request);
      EXPECT_EQ(answer.status, 401) << given;
      ASSERT_EQ(answer.headers.size(), 1u);
      EXPECT_EQ(answer.headers.front().first + ": " + answer.headers.front().second,
                "WWW-Authenticate: Bearer");
    }
  }
  Request request = asked("localhost");
  request.authorization = "bearer a secret of 20 chars";
  EXPECT_EQ(answers.answer(request).status, 200);
}

TEST(LiveAnswers, GiveThePageOfAPath) {
  Answers answers(one_page(), true);
  const Answer page = answers.answer(asked("localhost", "/status?a=b"));
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.text, "*/*");
  ASSERT_EQ(page.headers.size(), 1u);
  EXPECT_EQ(page.headers.front().first, "Content-Security-Policy");
  EXPECT_EQ(answers.answer(asked("localhost", "/Status")).text, "there is no such page\n");
  const Answer broken = answers.answer(asked("localhost", "/broken"));
  EXPECT_EQ(broken.status, 500);
  EXPECT_EQ(broken.text, "this page cannot be made now\n");

  Request post = asked("localhost");
  post.method = "POST";
  EXPECT_EQ(answers.answer(post).status, 405);
  EXPECT_EQ(answers.answer(post).headers.front().second, "GET, HEAD");
  post.has_body = true;
  EXPECT_EQ(answers.answer(post).status, 413);
}

// RFC 9112, 3.2.2: a server takes the whole URL as well, and its host counts instead of the
// header's.
TEST(LiveAnswers, TakeAWholeUrl) {
  Answers answers(one_page(), true);
  for (const char* target : {"http://localhost/status", "HTTP://127.0.0.1:29400/status?a=b"}) {
    EXPECT_EQ(answers.answer(asked("localhost", target)).status, 200) << target;
    EXPECT_EQ(answers.answer(asked("evil.org", target)).status, 200) << "the header is ignored";
  }
  EXPECT_EQ(answers.answer(asked("localhost", "http://localhost")).status, 404) << "it is /";
  EXPECT_EQ(answers.answer(asked("localhost", "http://localhost?a=b")).status, 404);
  for (const char* target : {"http://evil.org/status", "http://user@localhost/status"})
    EXPECT_EQ(answers.answer(asked("localhost", target)).status, 403) << target;
  EXPECT_EQ(answers.answer(asked("evil.org", "http:///status")).status, 403) << "it names no host";
}

// An asker that never waits gets the same page again, each with its own Accept.
TEST(LiveAnswers, APageIsMadeAtMostTenTimesASecond) {
  int made = 0;
  Endpoint::Options options;
  options.page = [&](auto, auto accept) {
    ++made;
    return std::optional<Endpoint::Page>({"text/plain", std::string(accept)});
  };
  Answers answers(options, true);
  const auto start = std::chrono::steady_clock::now();
  const auto lasted = [&] { return std::chrono::steady_clock::now() - start; };
  while (lasted() < std::chrono::milliseconds(250)) {
    Request request = asked("localhost", "/metrics");
    EXPECT_EQ(answers.answer(request).text, "*/*");
    request.accept = "text/plain";
    EXPECT_EQ(answers.answer(request).text, "text/plain");
  }
  const double seconds = std::chrono::duration<double>(lasted()).count();
  EXPECT_GE(made, 4) << "it is kept for a moment only";
  EXPECT_LE(made, 2 * (10 * seconds + 1));
}

}  // namespace
}  // namespace scalemark::live
