#include "engine/distributed/foreign_error.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace scalemark::distributed {
namespace {

// c10d says which keys it waited for, and the digest of --run-token stands in each.
TEST(OneLine, KeepsTheSecretOfTheKeysBack) {
  const std::string digest(64, 'a'), made_up(32, '7');
  for (const std::string& secret : {digest, made_up}) {
    const std::runtime_error error("wait timeout after 1000ms, keys: /scalemark/1ea518905bb01ef6/" +
                                   secret + "/group/point/0\nmore");
    EXPECT_EQ(one_line(error),
              "wait timeout after 1000ms, keys: /scalemark/1ea518905bb01ef6/.../group/point/0");
    EXPECT_EQ(record_of(error).what.find(secret), std::string::npos);
  }
}

}  // namespace
}  // namespace scalemark::distributed
