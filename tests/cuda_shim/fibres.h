// The threads of a block as fibres: each has a stack of its own, and one of them runs at a time.
#pragma once

#include <functional>

namespace cuda_shim {

bool fibres_are_on();

constexpr unsigned kLanesOfWarp = 32;

enum class Barrier { kNone, kWarp, kBlock };

// Runs `thread` once for each of `count` threads, from barrier to barrier. `enter(t)` is called
// whenever thread t continues. Throws when threads wait at barriers that nobody else comes to.
void run_fibres(unsigned count, const std::function<void(unsigned)>& enter,
                const std::function<void()>& thread);

// The fibre that runs calls this; it lets the others of its warp or block run up to this barrier.
void wait_on_fibre(Barrier barrier);

}  // namespace cuda_shim
