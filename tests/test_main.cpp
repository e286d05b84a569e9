// The main of every GoogleTest program. A ctest entry is the suites of a folder, or one suite: it
// counts as skipped (77) where each of its tests was, and fails where its filter matches nothing.
#include <gtest/gtest.h>

#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  if (failed != 0 || GTEST_FLAG_GET(list_tests)) return failed;
  if (tests.test_to_run_count() == 0) {
    std::fputs("no test matches the filter\n", stderr);
    return 1;
  }
  return tests.skipped_test_count() == tests.test_to_run_count() ? 77 : 0;
}
