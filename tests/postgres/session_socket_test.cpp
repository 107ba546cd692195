// When a server has let go of a session, as its socket tells.
#include "forebay/postgres/driver/session_socket.hpp"

#include "postgres/postgres_fixture.hpp"
#include "support/forwarder.hpp"

namespace forebay::postgres {
namespace {

using test::LoopbackListener;

// Both ends of a connection.
class SessionSocketTest : public testing::Test {
 protected:
  SessionSocketTest() {
    FOREBAY_CHECK(test::connect_on_loopback(client_, listener_.port()));
    server_ = listener_.accept();
    auto shared = SessionSocket::share(runtime_.descriptors(), client_);
    FOREBAY_CHECK(shared.has_value());
    socket_ = std::move(*shared);
    ::close(client_);  // as libpq does
  }
  ~SessionSocketTest() override {
    run_blocking(runtime_.scheduler(), drop(std::move(socket_)));
    if (server_ >= 0) ::close(server_);
  }
  static Task<void> drop(std::unique_ptr<SessionSocket> socket) {
    socket.reset();
    co_return;
  }

  bool wait_until_gone(const ServerNotice& server, Duration time) {
    Scheduler& scheduler = runtime_.scheduler();
    return run_blocking(scheduler, socket_->wait_until_gone(scheduler, server,
                                                            deadline_after(scheduler.now(), time)));
  }
  void close_server() { ::close(std::exchange(server_, -1)); }
  static ServerNotice quick() {
    ServerNotice known;
    known.silence = 200ms;
    known.check_interval = 100ms;
    return known;
  }

  Runtime runtime_;
  LoopbackListener listener_;
  int client_ = test::loopback_socket();
  int server_ = -1;
  std::unique_ptr<SessionSocket> socket_;
};

TEST_F(SessionSocketTest, TheEndOfTheServersSideIsTheEnd) {
  close_server();
  EXPECT_TRUE(wait_until_gone(ServerNotice(), kPatience));
}

TEST_F(SessionSocketTest, AResetIsTheEnd) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(server_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close_server();
  EXPECT_TRUE(wait_until_gone(ServerNotice(), kPatience));
}

TEST_F(SessionSocketTest, WhileTheOtherSideIsThereNothingElseCounts) {
  EXPECT_FALSE(wait_until_gone(quick(), 2s));
  EXPECT_FALSE(wait_until_gone(quick(), 10ms));
  close_server();
  EXPECT_TRUE(wait_until_gone(quick(), kPatience));
}

TEST_F(SessionSocketTest, AnEndAfterSilenceIsNone) {
  close_server();
  socket_->note_silence();
  EXPECT_FALSE(wait_until_gone(ServerNotice(), 100ms));
}

TEST_F(SessionSocketTest, AfterSilenceTheServerMustHaveNoticedInTime) {
  close_server();
  socket_->note_silence();
  const Instant start = runtime_.scheduler().now();

  EXPECT_FALSE(wait_until_gone(quick(), 50ms));
  EXPECT_TRUE(wait_until_gone(quick(), kPatience));

  EXPECT_GE(runtime_.scheduler().now() - start, 1300ms);  // and a second to end its process
}

TEST_F(SessionSocketTest, WorkThatHasALimitIsOverWhateverTheSocketSays) {
  ServerNotice limited;
  limited.longest_work = 100ms;
  const Instant start = runtime_.scheduler().now();

  EXPECT_TRUE(wait_until_gone(limited, kPatience));

  EXPECT_GE(runtime_.scheduler().now() - start, 1100ms);
}

}  // namespace
}  // namespace forebay::postgres
