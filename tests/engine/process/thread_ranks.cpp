#include "tests/engine/process/thread_ranks.h"

#include <c10/util/Exception.h>

#include <optional>
#include <utility>

#include "engine/distributed/error_store.h"
#include "engine/distributed/stop_agreement.h"
#include "engine/process/failure_reporter.h"

namespace scalemark::testing {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeout{60'000};

}  // namespace

class ThreadRanks::Rank : public process::RankLink {
 public:
  Rank(ThreadRanks& all, int rank)
      : all_(all),
        rank_(rank),
        size_(static_cast<int>(all.dead_.size())),
        store_(c10::make_intrusive<MemoryStore>(all.server_, rank)),
        error_store_(store_, rank, size_, rank == 0, all.clock_),
        queue_(store_, rank, size_, error_store_, kTimeout,
               {.on_lost = [this](const ErrorRecord& loss) { give_up(loss); }},
               distributed::WorkQueue::kPollPeriod, all.clock_) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  distributed::WorkQueue& queue() override { return queue_; }
  c10d::Store& store() override { return *store_; }
  distributed::Clock& clock() override { return all_.clock_; }
  std::optional<int> received_signal() const override {
    const std::lock_guard lock(all_.mutex_);
    return all_.signals_[static_cast<std::size_t>(rank_)];
  }
  void enter(const std::string& phase) override {
    const std::lock_guard lock(all_.mutex_);
    all_.phases_[static_cast<std::size_t>(rank_)] = phase;
  }
  void heartbeat() override {}
  milliseconds timeout() const override { return kTimeout; }
  ExitCode end_interrupted(const distributed::Stop& stop, const std::string& /*kept*/) override {
    mine().stop = stop;
    return distributed::exit_code_of_signal(stop.signal);
  }

  distributed::ErrorStore& error_store() { return error_store_; }

 private:
  RankEnd& mine() { return all_.ends_[static_cast<std::size_t>(rank_)]; }

  // A process reports and ends at once, whatever its main thread does.
  void give_up(const ErrorRecord& loss) {
    error_store_.post(loss);
    const std::lock_guard lock(all_.mutex_);
    mine().error = loss;
    mine().code = loss.exit_code;
    mine().at = all_.clock_.now();
    all_.dead_[static_cast<std::size_t>(rank_)] = true;
  }

  ThreadRanks& all_;
  int rank_, size_;
  c10::intrusive_ptr<c10d::Store> store_;
  distributed::ErrorStore error_store_;
  distributed::WorkQueue queue_;
};

ThreadRanks::ThreadRanks(int size)
    : server_(std::make_shared<MemoryStoreServer>(clock_)),
      dead_(static_cast<std::size_t>(size)),
      signals_(static_cast<std::size_t>(size)),
      phases_(static_cast<std::size_t>(size)),
      ends_(static_cast<std::size_t>(size)) {
  server_->before = [this](const Request& request) {
    refuse_dead(request.rank);
    if (hook_) hook_(request);
    refuse_dead(request.rank);
  };
}

ThreadRanks::~ThreadRanks() = default;

void ThreadRanks::refuse_dead(int rank) {
  const std::lock_guard lock(mutex_);
  if (dead_[static_cast<std::size_t>(rank)] || dead_[0]) {
    C10_THROW_ERROR(DistNetworkError, "connection reset by peer");
  }
}

void ThreadRanks::kill(int rank) {
  const std::lock_guard lock(mutex_);
  dead_[static_cast<std::size_t>(rank)] = true;
  ends_[static_cast<std::size_t>(rank)].killed = true;
}

bool ThreadRanks::is_killed(int rank) const {
  const std::lock_guard lock(mutex_);
  return ends_[static_cast<std::size_t>(rank)].killed;
}

void ThreadRanks::send_signal(int rank, int signal) {
  const std::lock_guard lock(mutex_);
  signals_[static_cast<std::size_t>(rank)] = signal;
}

std::string ThreadRanks::phase(int rank) const {
  const std::lock_guard lock(mutex_);
  return phases_[static_cast<std::size_t>(rank)];
}

void ThreadRanks::run_rank(int number, const Body& body) {
  Rank rank(*this, number);
  RankEnd end;
  try {
    end.code = body(rank);
  } catch (...) {
    end.error = process::record_of(std::current_exception(), &rank.error_store());
    end.code = end.error.exit_code;
    rank.error_store().post(end.error);
  }
  end.at = clock_.now();
  rank.error_store().leave();
  const std::lock_guard lock(mutex_);
  RankEnd& mine = ends_[static_cast<std::size_t>(number)];
  end.stop = mine.stop;
  end.killed = mine.killed;
  const bool gave_up = !mine.killed && dead_[static_cast<std::size_t>(number)];
  if (!gave_up) mine = std::move(end);
  if (number == 0) dead_[0] = true;  // it served the store
}

void ThreadRanks::run(const Body& body) {
  std::vector<std::thread> threads;
  auto hold = std::make_optional<SimulatedClock::Hold>(clock_);
  for (int rank = 0; rank < static_cast<int>(dead_.size()); ++rank) {
    threads.push_back(clock_.start([this, rank, &body] { run_rank(rank, body); }));
  }
  hold.reset();
  for (std::thread& thread : threads) clock_.join(thread);
}

}  // namespace scalemark::testing
