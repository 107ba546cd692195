// Forebay, in the shortest way that its guide shows: by threads, by tasks of one loop, and by tasks
// of a loop for each processor.
#include <algorithm>
#include <thread>

#include <forebay/forebay.hpp>

#include "peer.hpp"

namespace peers {
namespace {

using forebay::failure;
using forebay::Result;
using forebay::Scheduler;
using forebay::Task;
using forebay::postgres::Batch;
using forebay::postgres::parameters;
using forebay::postgres::PostgresPool;
using forebay::postgres::Transaction;

constexpr std::chrono::seconds kPatience{30};

// Outside of a transaction a batch is one of its own.
Batch three(Caller& caller) {
  Batch batch;
  batch.add(kRow, parameters(caller.next_id()));
  batch.add(kChange, parameters(caller.next_id(), "name"));
  batch.add(kChange, parameters(caller.next_id(), "name"));
  return batch;
}

template <class T>
Result<void> outcome(const Result<T>& result) {
  return result ? Result<void>() : failure(result.error());
}

void require(const Result<void>& result) {
  if (!result) give_up(result.error().text());
}

Result<void> change(Transaction& transaction, Caller& caller) {
  const auto read = transaction.query_one_blocking<std::string>(kRow, parameters(caller.next_id()));
  if (!read) return failure(read.error());
  for (int i = 0; i < 2; ++i) {
    const auto changed = transaction.exec_blocking(kChange, parameters(caller.next_id(), "name"));
    if (!changed) return failure(changed.error());
  }
  return {};
}

Result<void> work_once(PostgresPool& pool, Work work, Caller& caller) {
  if (work == Work::select1) return outcome(pool.query_one_blocking<int>(kOne));
  if (work == Work::row)
    return outcome(pool.query_one_blocking<std::string>(kRow, caller.next_id()));
  if (work == Work::transaction)
    return pool.transaction_blocking([&](Transaction& within) { return change(within, caller); });
  const auto session = pool.acquire_blocking(kPatience);
  if (!session) return failure(session.error());
  return outcome((*session)->exec_batch_blocking(three(caller), kPatience));
}

Task<Result<void>> change_task(Transaction& transaction, Caller& caller) {
  const auto read = co_await transaction.query_one<std::string>(kRow, parameters(caller.next_id()));
  if (!read) co_return failure(read.error());
  for (int i = 0; i < 2; ++i) {
    const auto changed = co_await transaction.exec(kChange, parameters(caller.next_id(), "name"));
    if (!changed) co_return failure(changed.error());
  }
  co_return Result<void>();
}

Task<Result<void>> batch_task(PostgresPool& pool, Caller& caller) {
  const forebay::Instant deadline = pool.env().scheduler.now() + kPatience;
  const auto session = co_await pool.acquire(deadline);
  if (!session) co_return failure(session.error());
  const auto done = co_await (*session)->exec_batch(three(caller), deadline);
  co_return outcome(done);
}

Task<Result<void>> work_once_task(PostgresPool& pool, Work work, Caller& caller) {
  if (work == Work::select1) {
    const auto one = co_await pool.query_one<int>(kOne);
    co_return outcome(one);
  }
  if (work == Work::row) {
    const auto row = co_await pool.query_one<std::string>(kRow, caller.next_id());
    co_return outcome(row);
  }
  if (work == Work::batch) co_return co_await batch_task(pool, caller);
  auto body = [&caller](Transaction& within) { return change_task(within, caller); };
  co_return co_await pool.transaction(body);
}

Task<void> repeat(PostgresPool& pool, Work work, Caller& caller) {
  while (caller.goes_on()) {
    const auto done = co_await work_once_task(pool, work, caller);
    require(done);
    caller.done();
  }
}

// The callers whose turn it is, of as many groups as there are loops.
Task<void> repeat_some(PostgresPool& pool, Scheduler& loop, Work work, std::vector<Caller>& callers,
                       std::size_t first, std::size_t step) {
  forebay::TaskGroup group(loop);
  for (std::size_t i = first; i < callers.size(); i += step)
    group.spawn(repeat(pool, work, callers[i]));
  co_await group.join();
}

std::vector<std::thread> start_threads(PostgresPool& pool, Work work,
                                       std::vector<Caller>& callers) {
  std::vector<std::thread> threads;
  for (Caller& caller : callers) {
    threads.emplace_back([&pool, work, &caller] {
      while (caller.goes_on()) {
        require(work_once(pool, work, caller));
        caller.done();
      }
    });
  }
  return threads;
}

class ForebayPeer final : public Peer {
 public:
  // Without loops the callers are threads.
  ForebayPeer(const Request& request, int loops)
      : work_(request.work), loops_(loops), runtime_(runtime_options(loops)) {
    forebay::PoolOptions options;
    options.size.max = request.connections;
    options.supply = forebay::Supply::reservoir;
    auto pool = PostgresPool::open(runtime_, request.target(), options);
    if (!pool) give_up(pool.error().text());
    pool_ = std::move(*pool);
  }

  void serve(std::vector<Caller>& callers) override {
    std::vector<std::thread> threads =
        loops_ == 0 ? start_threads(*pool_, work_, callers) : start_tasks(callers);
    for (std::thread& thread : threads) thread.join();
  }

 private:
  static forebay::RuntimeOptions runtime_options(int loops) {
    forebay::RuntimeOptions options;
    options.loops = std::max(loops, 1);
    return options;
  }
  // A thread for each loop, which only waits for its end.
  std::vector<std::thread> start_tasks(std::vector<Caller>& callers) {
    std::vector<std::thread> threads;
    for (int i = 0; i < loops_; ++i) {
      threads.emplace_back([this, i, &callers] {
        Scheduler& loop = runtime_.loop(i).env.scheduler;
        forebay::run_blocking(loop,
                              repeat_some(*pool_, loop, work_, callers, static_cast<std::size_t>(i),
                                          static_cast<std::size_t>(loops_)));
      });
    }
    return threads;
  }

  const Work work_;
  const int loops_;
  forebay::Runtime runtime_;
  std::unique_ptr<PostgresPool> pool_;
};

}  // namespace

std::unique_ptr<Peer> open_forebay_threads(const Request& request) {
  return std::make_unique<ForebayPeer>(request, 0);
}
std::unique_ptr<Peer> open_forebay_tasks(const Request& request, int loops) {
  return std::make_unique<ForebayPeer>(request, loops);
}

}  // namespace peers
