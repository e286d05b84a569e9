#include "fibres.h"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <vector>

#include "cuda_runtime.h"

namespace cuda_shim {
namespace {

constexpr std::size_t kStackBytes = 64 << 10;

// Runs the body of one block after the other, and rests in between: for ever.
struct Fibre {
  std::unique_ptr<char[]> stack{new char[kStackBytes]};
  ucontext_t beginning;
  jmp_buf rest;  // jumps need no system call, as changes of context do
  bool has_begun = false;
  bool is_done = true;  // it has run the block to its end
  Barrier waits_at = Barrier::kNone;
};

int on = 0;
jmp_buf scheduler;
Fibre* running = nullptr;
const std::function<void()>* body = nullptr;

void run_bodies() {
  while (true) {
    (*body)();
    running->is_done = true;
    wait_on_fibre(Barrier::kNone);
  }
}

void go_on(Fibre& fibre) {
  running = &fibre;
  if (_setjmp(scheduler) != 0) return;
  if (running->has_begun) _longjmp(running->rest, 1);
  running->has_begun = true;
  setcontext(&running->beginning);
  std::abort();  // it does not come back
}

std::unique_ptr<Fibre> make_fibre() {
  auto fibre = std::make_unique<Fibre>();
  getcontext(&fibre->beginning);
  fibre->beginning.uc_stack.ss_sp = fibre->stack.get();
  fibre->beginning.uc_stack.ss_size = kStackBytes;
  fibre->beginning.uc_link = nullptr;
  makecontext(&fibre->beginning, &run_bodies, 0);
  return fibre;
}

std::vector<std::unique_ptr<Fibre>>& fibres_for(unsigned count) {
  static std::vector<std::unique_ptr<Fibre>> fibres;
  while (fibres.size() < count) fibres.push_back(make_fibre());
  return fibres;
}

// Lets the fibres [begin, end) continue if all that live wait at `barrier`; returns whether it did.
bool release(const std::vector<std::unique_ptr<Fibre>>& fibres, unsigned begin, unsigned end,
             Barrier barrier) {
  bool any = false;
  for (unsigned t = begin; t < end; ++t) {
    if (fibres[t]->is_done) continue;
    if (fibres[t]->waits_at != barrier) return false;
    any = true;
  }
  for (unsigned t = begin; t < end; ++t) fibres[t]->waits_at = Barrier::kNone;
  return any;
}

void release_where_all_wait(const std::vector<std::unique_ptr<Fibre>>& fibres, unsigned count) {
  bool released = release(fibres, 0, count, Barrier::kBlock);
  for (unsigned first = 0; first < count; first += kLanesOfWarp) {
    const unsigned end = std::min(count, first + kLanesOfWarp);
    if (release(fibres, first, end, Barrier::kWarp)) released = true;
  }
  if (!released) throw std::logic_error("threads of a block wait at different barriers for ever");
}

}  // namespace

OnFibres::OnFibres() { ++on; }
OnFibres::~OnFibres() { --on; }

bool fibres_are_on() { return on > 0; }

void run_fibres(unsigned count, const std::function<void(unsigned)>& enter,
                const std::function<void()>& thread) {
  const auto& fibres = fibres_for(count);
  body = &thread;
  for (unsigned t = 0; t < count; ++t) {
    fibres[t]->is_done = false;
    fibres[t]->waits_at = Barrier::kNone;
  }
  unsigned alive = count;
  for (bool backwards = false; alive > 0; backwards = !backwards) {
    for (unsigned i = 0; i < count; ++i) {
      const unsigned t = backwards ? count - 1 - i : i;
      if (fibres[t]->is_done || fibres[t]->waits_at != Barrier::kNone) continue;
      enter(t);
      go_on(*fibres[t]);
      if (fibres[t]->is_done) --alive;
    }
    if (alive > 0) release_where_all_wait(fibres, count);
  }
}

void wait_on_fibre(Barrier barrier) {
  running->waits_at = barrier;
  if (_setjmp(running->rest) == 0) _longjmp(scheduler, 1);
}

}  // namespace cuda_shim
