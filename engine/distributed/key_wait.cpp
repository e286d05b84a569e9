#include "engine/distributed/key_wait.h"

#include <c10/util/Exception.h>

#include <algorithm>

namespace scalemark::distributed {

using std::chrono::milliseconds;

bool await_key(c10d::Store& store, const std::string& key, milliseconds limit) {
  try {
    store.wait({key}, std::max(limit, milliseconds(1)));  // zero means for ever
    return true;
  } catch (const c10::DistNetworkError&) {
    throw;
  } catch (const c10::DistStoreError&) {
    return false;
  } catch (const c10::Error&) {  // FileStore has no type of its own for a timeout
    return store.check({key});
  }
}

bool KeyWait::operator()(const std::string& key, const std::function<void()>& look) {
  while (true) {
    const milliseconds left = limit_ - clock_.elapsed();
    if (await_key(store_, key, std::min(left, slice_))) return true;
    look();
    if (clock_.elapsed() >= limit_) return false;
  }
}

}  // namespace scalemark::distributed
