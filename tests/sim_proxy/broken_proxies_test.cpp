// The checks of worlds with proxies can fail: for each a bug is planted, and the world finds it.
#include <gtest/gtest.h>

#include "sim_proxy/proxy_world.hpp"

namespace forebay::sim {
namespace {

// Six clients on two connections, in a world in which nothing goes wrong.
ProxyPlan calm_plan() {
  ProxyPlan plan;
  plan.seed = 7;
  plan.connections = 2;
  for (SimStreamOptions* const side : {&plan.client_side, &plan.server_side}) {
    side->least_delay = 100us;
    side->most_delay = 500us;
  }
  plan.most_connect = 5ms;
  plan.most_work = 3ms;
  PoolOptions& pool = plan.route.pool;
  pool.size.max = plan.connections;
  pool.lifetime = 1min;
  pool.lifetime_jitter = 0ms;
  pool.guard_window = 1s;
  pool.idle_timeout = Duration(1min);
  pool.connect_rate = 50;
  pool.connect_burst = 2;
  plan.route.limits.query_wait = 3s;
  for (int number = 1; number <= 6; ++number) {
    SimClientOptions client;
    client.number = number;
    client.habits.keeps_state = true;
    client.most_thought = 20ms;
    client.units_of_a_life = 20;
    plan.clients.push_back(client);
  }
  return plan;
}

ProxyWorldResult run_with(ProxyTampering& tampering, const ProxyPlan& plan = calm_plan()) {
  return ProxyWorld(plan, tampering).run();
}

void expect_broken(const ProxyWorldResult& result, Promise promise, const std::string& words) {
  ASSERT_TRUE(result.broken.has_value());
  EXPECT_EQ(result.broken->promise, static_cast<int>(promise)) << result.broken->what;
  EXPECT_NE(result.broken->what.find(words), std::string::npos) << result.broken->what;
}

TEST(BrokenProxiesTest, AnHonestWorldBreaksNothingAndIsFullOfLife) {
  ProxyTampering none;

  const ProxyWorldResult result = run_with(none);

  EXPECT_FALSE(result.broken.has_value()) << result.broken->what;
  EXPECT_GT(result.units, 1000u);
  EXPECT_GT(result.stays, 500u);
  EXPECT_GT(result.pins, 10u);
  EXPECT_GT(result.lives, 20u);
  EXPECT_EQ(result.lost, 0u);
  EXPECT_EQ(result.most_sessions, 2);
}

// What a client leaves is not cleared.
class ClearsNothing final : public ProxyTampering {
 public:
  postgres::ServerProfile profile(postgres::ServerProfile honest) override {
    honest.reset_statements.clear();
    honest.reset_parts.clear();
    return honest;
  }
};

TEST(BrokenProxiesTest, WhatAnotherClientLeftIsSeen) {
  ClearsNothing tampering;

  expect_broken(run_with(tampering), Promise::clean, "is in a session with");
}

// A stream that somebody between the proxy and the server meddles with.
class MeddledStream : public ByteStream {
 public:
  explicit MeddledStream(std::unique_ptr<ByteStream> honest) : honest_(std::move(honest)) {}

  Task<Result<std::size_t>> read(Bytes into, Instant deadline) override {
    co_return co_await honest_->read(into, deadline);
  }
  void interrupt_read() override { honest_->interrupt_read(); }
  Task<Result<void>> write(std::span<const ConstBytes> pieces, Instant deadline) override {
    co_return co_await honest_->write(pieces, deadline);
  }
  Task<Result<void>> finish(Instant deadline) override {
    co_return co_await honest_->finish(deadline);
  }
  void close() override { honest_->close(); }
  const StreamPeer& peer() const override { return honest_->peer(); }
  void leave() override { honest_->leave(); }
  Result<void> join(StreamNetwork& network) override { return honest_->join(network); }

 protected:
  std::unique_ptr<ByteStream> honest_;
};

template <class Stream>
class MeddledNetwork final : public StreamNetwork {
 public:
  MeddledNetwork(StreamNetwork& honest, Scheduler& scheduler)
      : honest_(honest), scheduler_(scheduler) {}

  Task<Result<std::unique_ptr<ByteStream>>> connect(StreamAddress to, Until until) override {
    Result<std::unique_ptr<ByteStream>> stream = co_await honest_.connect(to, until);
    if (!stream) co_return stream;
    std::unique_ptr<ByteStream> meddled = std::make_unique<Stream>(std::move(*stream), scheduler_);
    co_return meddled;
  }
  Result<std::unique_ptr<StreamListener>> listen(const StreamAddress& at) override {
    return honest_.listen(at);
  }

 private:
  StreamNetwork& honest_;
  Scheduler& scheduler_;
};

template <class Stream>
class WithStreams final : public ProxyTampering {
 public:
  StreamNetwork& way_to_server(StreamNetwork& honest, Scheduler& scheduler) override {
    return networks_.emplace_back(honest, scheduler);
  }

 private:
  std::list<MeddledNetwork<Stream>> networks_;
};

// A cancel seems to be done at once, and arrives some time later.
class LateCancel final : public MeddledStream {
 public:
  LateCancel(std::unique_ptr<ByteStream> honest, Scheduler& scheduler)
      : MeddledStream(std::move(honest)), scheduler_(scheduler) {}

  Task<Result<void>> write(std::span<const ConstBytes> pieces, Instant deadline) override {
    const std::string_view bytes(reinterpret_cast<const char*>(pieces[0].data()), pieces[0].size());
    static constexpr std::string_view kRequest("\x04\xd2\x16\x2e");
    if (bytes.size() < 8 || bytes.substr(4, 4) != kRequest)
      co_return co_await honest_->write(pieces, deadline);
    start_detached(scheduler_, deliver(scheduler_, std::move(honest_), std::string(bytes)));
    co_return Result<void>();
  }
  Task<Result<std::size_t>> read(Bytes into, Instant deadline) override {
    if (honest_ == nullptr) co_return std::size_t{0};
    co_return co_await honest_->read(into, deadline);
  }

 private:
  // By then the object is gone.
  static Task<void> deliver(Scheduler& scheduler, std::unique_ptr<ByteStream> stream,
                            std::string bytes) {
    co_await sleep_for(scheduler, 30ms);
    const ConstBytes piece = std::as_bytes(std::span(bytes));
    co_await stream->write(std::span(&piece, 1), kNever);
    std::array<std::byte, 16> scrap;
    co_await stream->read(Bytes(scrap), kNever);
  }

  Scheduler& scheduler_;
};

TEST(BrokenProxiesTest, ACancelThatHitsAnotherStatementIsSeen) {
  WithStreams<LateCancel> tampering;
  ProxyPlan plan = calm_plan();
  plan.client_faults.cancels = 1'000'000;

  expect_broken(run_with(tampering, plan), Promise::clean, "a cancel hit");
}

// One answer in many says something else.
class WrongWord final : public MeddledStream {
 public:
  WrongWord(std::unique_ptr<ByteStream> honest, Scheduler&) : MeddledStream(std::move(honest)) {}

  Task<Result<std::size_t>> read(Bytes into, Instant deadline) override {
    const Result<std::size_t> got = co_await honest_->read(into, deadline);
    if (!got) co_return got;
    const std::string_view bytes(reinterpret_cast<const char*>(into.data()), *got);
    const std::size_t at = bytes.find("SELECT 3");
    if (at != std::string_view::npos) into[at + 7] = std::byte{'4'};
    co_return got;
  }
};

TEST(BrokenProxiesTest, AnAnswerThatIsNotItsOwnIsSeen) {
  WithStreams<WrongWord> tampering;

  expect_broken(run_with(tampering), Promise::clean, "its own server would have said");
}

// Each connect opens a session beside the one that is counted.
class TwiceConnecting final : public ProxyTampering {
 public:
  std::unique_ptr<Connector> connector(std::unique_ptr<Connector> honest) override {
    return std::make_unique<Twice>(std::move(honest));
  }

 private:
  class Twice final : public Connector {
   public:
    explicit Twice(std::unique_ptr<Connector> honest) : honest_(std::move(honest)) {}
    Task<Result<std::unique_ptr<Connection>>> connect(std::string password,
                                                      Instant deadline) override {
      Result<std::unique_ptr<Connection>> more = co_await honest_->connect(password, deadline);
      if (more) kept_.push_back(std::move(*more));
      co_return co_await honest_->connect(password, deadline);
    }
    void close() override {
      kept_.clear();
      honest_->close();
    }

   private:
    std::unique_ptr<Connector> honest_;
    std::vector<std::unique_ptr<Connection>> kept_;
  };
};

TEST(BrokenProxiesTest, OneSessionTooManyIsSeen) {
  TwiceConnecting tampering;

  expect_broken(run_with(tampering), Promise::cap, "the server counts");
}

class WithPool final : public ProxyTampering {
 public:
  explicit WithPool(void (*change)(PoolOptions&)) : change_(change) {}
  PoolOptions pool(PoolOptions honest) override {
    change_(honest);
    return honest;
  }

 private:
  void (*change_)(PoolOptions&);
};

TEST(BrokenProxiesTest, APoolThatIsLargerThanTheServerAllowsIsSeen) {
  WithPool tampering([](PoolOptions& pool) { *pool.size.max += 1; });

  expect_broken(run_with(tampering), Promise::cap, "has no place");
}

TEST(BrokenProxiesTest, ConnectsAboveTheRateAreSeen) {
  WithPool tampering([](PoolOptions& pool) { pool.connect_rate = 10'000; });
  ProxyPlan plan = calm_plan();
  plan.route.pool.connect_rate = 5;
  plan.route.pool.connect_burst = 1;

  expect_broken(run_with(tampering, plan), Promise::rate, "too early");
}

TEST(BrokenProxiesTest, ASessionThatIsTooOldIsSeen) {
  WithPool tampering([](PoolOptions& pool) { pool.lifetime = 1h; });
  ProxyPlan plan = calm_plan();
  plan.route.pool.lifetime = 3s;

  expect_broken(run_with(tampering, plan), Promise::freshness, "old");
}

// Some answers never arrive.
class Swallowing final : public MeddledStream {
 public:
  Swallowing(std::unique_ptr<ByteStream> honest, Scheduler&) : MeddledStream(std::move(honest)) {}

  Task<Result<std::size_t>> read(Bytes into, Instant deadline) override {
    for (;;) {
      const Result<std::size_t> got = co_await honest_->read(into, deadline);
      if (!got || *got == 0 || read_ < 20'000) {
        if (got) read_ += *got;
        co_return got;
      }
    }
  }

 private:
  std::size_t read_ = 0;
};

TEST(BrokenProxiesTest, AClientThatIsNeverAnsweredIsSeen) {
  WithStreams<Swallowing> tampering;

  expect_broken(run_with(tampering), Promise::supply, "got no answer");
}

}  // namespace
}  // namespace forebay::sim
