// Streams over real sockets, TCP and Unix: order, back pressure, deadlines, ends, addresses, and
// the move to another loop.
#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "forebay/env/real/runtime.hpp"
#include "forebay/env/run_blocking.hpp"
#include "forebay/env/sleep.hpp"
#include "forebay/env/stream_network.hpp"
#include "forebay/env/task_group.hpp"
#include "support/stream_tasks.hpp"

namespace forebay::real {
namespace {

using namespace std::chrono_literals;
using test::echo;
using test::error_name;
using test::keep_result;
using test::read_text;
using test::read_to_end;
using test::write_text;
using testing::HasSubstr;
using testing::StartsWith;
using OneStream = Result<std::unique_ptr<ByteStream>>;

// Both ends of a stream, and whom they met through. All of it lives on the loop.
struct StreamEnds {
  StreamEnds() = default;
  StreamEnds(StreamEnds&&) = default;
  StreamEnds& operator=(StreamEnds&&) = default;
  ~StreamEnds() = default;
  std::unique_ptr<StreamListener> listener;
  std::unique_ptr<ByteStream> near;
  std::unique_ptr<ByteStream> far;
};

Task<StreamEnds> make_ends(StreamNetwork& network, StreamAddress at) {
  StreamEnds ends;
  Result<std::unique_ptr<StreamListener>> listener = network.listen(at);
  EXPECT_TRUE(listener.has_value()) << listener.error().text();
  ends.listener = std::move(*listener);
  OneStream near = co_await network.connect(ends.listener->address(), kNever);
  EXPECT_TRUE(near.has_value()) << near.error().text();
  ends.near = std::move(*near);
  OneStream far = co_await ends.listener->accept(kNever);
  EXPECT_TRUE(far.has_value()) << far.error().text();
  ends.far = std::move(*far);
  co_return ends;
}

Task<void> drop(StreamEnds ends) {
  ends = StreamEnds();
  co_return;
}

StreamAddress test_socket(const std::string& name) {
  return StreamAddress::unix_socket(testing::TempDir() + "forebay_" + name + "_" +
                                    std::to_string(::getpid()));
}

// TCP, or a Unix socket.
class SocketStreamTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const StreamAddress at = GetParam() ? StreamAddress::tcp("127.0.0.1", 0) : test_socket("ends");
    ends_ = run(make_ends(runtime_.streams(), at));
  }
  void TearDown() override { run(drop(std::move(ends_))); }
  template <class T>
  T run(Task<T> task) {
    return run_blocking(runtime_.scheduler(), std::move(task));
  }

  Runtime runtime_;
  StreamEnds ends_;
};

INSTANTIATE_TEST_SUITE_P(All, SocketStreamTest, testing::Bool(), [](const auto& test) {
  return test.param ? std::string("Tcp") : std::string("Unix");
});

Task<Result<void>> write_pieces_and_finish(ByteStream& stream, const std::string& text) {
  std::vector<ConstBytes> pieces;
  ConstBytes rest = test::bytes_of(text);
  for (std::size_t size = 0; !rest.empty(); size = size * 2 + 1) {  // the first is empty
    pieces.push_back(rest.first(std::min(size, rest.size())));
    rest = rest.subspan(pieces.back().size());
    if (size > 5000) size = 0;
  }
  Result<void> written = co_await stream.write(pieces, kNever);
  if (!written) co_return written;
  co_return co_await stream.finish(kNever);
}

Task<std::string> echo_through(Scheduler& scheduler, StreamEnds& ends, const std::string& text) {
  TaskGroup group(scheduler);
  std::optional<Result<void>> written, echoed;
  group.spawn(keep_result(write_pieces_and_finish(*ends.near, text), written));
  group.spawn(keep_result(echo(*ends.far, kNever), echoed));
  Result<std::string> back = co_await read_to_end(*ends.near, kNever);
  co_await group.join();
  EXPECT_TRUE(written->has_value() && echoed->has_value());
  co_return back ? *back : back.error().text();
}

// More than any socket holds, so that both directions wait for each other.
TEST_P(SocketStreamTest, WhatIsWrittenInManyPiecesComesBackInOrder) {
  std::string text(8'000'000, ' ');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);

  const std::string back = run(echo_through(runtime_.scheduler(), ends_, text));

  EXPECT_TRUE(back == text) << back.size() << " bytes came back";
}

TEST_P(SocketStreamTest, AReadThatRanIntoItsDeadlineHasLostNothing) {
  Scheduler& scheduler = runtime_.scheduler();
  const auto early = run(read_text(*ends_.near, 4, scheduler.now() + 1ms));
  EXPECT_EQ(error_name(early), "timed_out");
  EXPECT_EQ(error_name(run(read_text(*ends_.near, 4, Instant()))), "timed_out");

  ASSERT_TRUE(run(write_text(*ends_.far, "late", kNever)).has_value());
  EXPECT_EQ(*run(read_text(*ends_.near, 4, kNever)), "late");
}

Task<std::string> interrupted(Scheduler& scheduler, ByteStream& stream) {
  TaskGroup group(scheduler);
  std::optional<Result<std::string>> got;
  stream.interrupt_read();  // nobody reads yet
  group.spawn(keep_result(read_text(stream, 4, kNever), got));
  co_await Sleep(scheduler, scheduler.now() + 1ms);
  stream.interrupt_read();
  co_await group.join();
  co_return error_name(*got);
}

TEST_P(SocketStreamTest, AReadThatIsInterruptedHasLostNothing) {
  EXPECT_EQ(run(interrupted(runtime_.scheduler(), *ends_.near)), "timed_out");
  ASSERT_TRUE(run(write_text(*ends_.far, "late", kNever)).has_value());
  EXPECT_EQ(*run(read_text(*ends_.near, 4, kNever)), "late");
}

TEST_P(SocketStreamTest, ASlowReaderStopsTheWriterUntilItsDeadline) {
  const std::string much(32'000'000, 'x');
  const Instant soon = runtime_.scheduler().now() + 50ms;

  EXPECT_EQ(error_name(run(write_text(*ends_.near, much, soon))), "timed_out");
}

Task<std::pair<std::string, std::string>> close_during_calls(Scheduler& scheduler,
                                                             StreamEnds& ends) {
  TaskGroup group(scheduler);
  std::optional<Result<std::string>> heard;
  std::optional<Result<void>> written;
  group.spawn(keep_result(read_to_end(*ends.near, kNever), heard));
  group.spawn(keep_result(write_text(*ends.near, std::string(32'000'000, 'x'), kNever), written));
  for (int turn = 0; turn < 3; ++turn) co_await Yield(scheduler);
  ends.near->close();
  ends.near->close();
  co_await group.join();
  co_return std::pair(error_name(*heard), error_name(*written));
}

Task<std::string> fill(ByteStream& stream, const std::string& text) {
  ConstBytes rest = test::bytes_of(text);
  for (;;) {
    const Result<std::size_t> sent = stream.write_now(rest);
    EXPECT_TRUE(sent.has_value());
    if (!sent || *sent == 0) co_return text.substr(0, text.size() - rest.size());
    rest = rest.subspan(*sent);
  }
}
Task<std::string> write_now_when_closed(ByteStream& stream) {
  stream.close();
  co_return error_name(stream.write_now(test::bytes_of("late")));
}

TEST_P(SocketStreamTest, WhatGoesWithoutWaitingIsSentAndTheRestIsLeft) {
  const std::string text(8'000'000, 'x');

  const std::string sent = run(fill(*ends_.near, text));

  EXPECT_GT(sent.size(), 0u);
  EXPECT_LT(sent.size(), text.size());
  EXPECT_EQ(run(read_text(*ends_.far, sent.size(), kNever))->size(), sent.size());
  EXPECT_EQ(run(write_now_when_closed(*ends_.near)), "closed");
}

Task<std::string> heard_while_waiting(Scheduler& scheduler, StreamEnds& ends) {
  TaskGroup group(scheduler);
  std::optional<Result<std::string>> heard;
  group.spawn(keep_result(read_to_end(*ends.far, deadline_after(scheduler.now(), 10s)), heard));
  co_await sleep_for(scheduler, 1ms);
  const Result<void> written = co_await write_text(*ends.near, "last words", kNever);
  const Result<void> finished = co_await ends.near->finish(kNever);
  EXPECT_TRUE(written && finished);
  co_await group.join();
  co_return heard->has_value() ? **heard : heard->error().text();
}

// Both are told at once, and a read of the words says nothing of the end.
TEST_P(SocketStreamTest, TheEndIsHeardThatCameWithTheLastWords) {
  EXPECT_EQ(run(heard_while_waiting(runtime_.scheduler(), ends_)), "last words");
}

Task<std::string> heard_after_a_pause(Scheduler& scheduler, StreamEnds& ends) {
  std::string heard;
  std::array<std::byte, 64> room;
  for (const char* const said : {"one, ", "two"}) {
    const Result<void> written = co_await write_text(*ends.near, said, kNever);
    EXPECT_TRUE(written.has_value());
    co_await sleep_for(scheduler, 1ms);
    const Instant deadline = deadline_after(scheduler.now(), 10s);
    const Result<std::size_t> got = co_await ends.far->read(Bytes(room), deadline);
    if (!got) co_return got.error().text();
    heard.append(reinterpret_cast<const char*>(room.data()), *got);
  }
  co_return heard;
}

TEST_P(SocketStreamTest, WhatComesWhileNobodyReadsIsNotMissed) {
  EXPECT_EQ(run(heard_after_a_pause(runtime_.scheduler(), ends_)), "one, two");
}

TEST_P(SocketStreamTest, CloseEndsTheCallsUnderWayAndThoseToCome) {
  const auto [heard, written] = run(close_during_calls(runtime_.scheduler(), ends_));

  EXPECT_EQ(heard, "closed");
  EXPECT_EQ(written, "closed");
  EXPECT_EQ(error_name(run(read_to_end(*ends_.near, kNever))), "closed");
  EXPECT_EQ(error_name(run(ends_.near->finish(kNever))), "closed");
}

Task<void> drop_far(StreamEnds& ends) {
  ends.far.reset();
  co_return;
}

TEST_P(SocketStreamTest, APeerThatIsGoneIsNoticed) {
  ASSERT_TRUE(run(write_text(*ends_.near, "never read", kNever)).has_value());
  run(drop_far(ends_));

  const Result<std::string> heard = run(read_to_end(*ends_.near, kNever));
  EXPECT_EQ(error_name(heard), "connection_lost");
  EXPECT_THAT(heard.error().text(), HasSubstr(ends_.near->peer().address));
  EXPECT_EQ(error_name(run(write_text(*ends_.near, "x", kNever))), "connection_lost");
}

TEST_P(SocketStreamTest, EachKnowsWhoIsAtTheOtherEnd) {
  EXPECT_EQ(ends_.near->peer().address, ends_.listener->address().text());
  const std::string far = ends_.far->peer().address;
  if (GetParam()) {
    EXPECT_THAT(far, StartsWith("127.0.0.1:"));
  } else {
    EXPECT_EQ(far, "unix:uid=" + std::to_string(::getuid()) + ",pid=" + std::to_string(::getpid()));
  }
}

Task<void> count_turns(Scheduler& scheduler, const bool& is_over, int& turns) {
  while (!is_over) {
    ++turns;
    co_await Yield(scheduler);
  }
}

Task<int> turns_of_others_while_reading(Scheduler& scheduler, StreamEnds& ends, int bytes) {
  const Result<void> written =
      co_await write_text(*ends.far, std::string(static_cast<std::size_t>(bytes), 'x'), kNever);
  EXPECT_TRUE(written.has_value());
  TaskGroup group(scheduler);
  bool is_over = false;
  int turns = 0;
  group.spawn(count_turns(scheduler, is_over, turns));
  std::byte one{};
  for (int i = 0; i < bytes; ++i) {
    const Result<std::size_t> got = co_await ends.near->read(Bytes(&one, 1), kNever);
    EXPECT_TRUE(got.has_value());
  }
  is_over = true;
  co_await group.join();
  co_return turns;
}

TEST_P(SocketStreamTest, AReaderWhoNeverHasToWaitLetsOthersRun) {
  EXPECT_GE(run(turns_of_others_while_reading(runtime_.scheduler(), ends_, 2000)), 2000 / 20);
}

Task<void> leave_loop(ByteStream& stream) {
  stream.leave();
  co_return;
}
Task<Result<void>> join_loop(ByteStream& stream, StreamNetwork& network) {
  co_return stream.join(network);
}
Task<void> drop_stream(std::unique_ptr<ByteStream> stream) {
  stream.reset();
  co_return;
}

TEST_P(SocketStreamTest, AStreamMovesToAnotherLoopAndBack) {
  Runtime other;
  ASSERT_TRUE(run(write_text(*ends_.far, "one two three", kNever)).has_value());
  EXPECT_EQ(*run(read_text(*ends_.near, 4, kNever)), "one ");
  // A question that the loop still has when the stream leaves.
  EXPECT_EQ(error_name(run(read_text(*ends_.far, 1, Instant()))), "timed_out");
  run(leave_loop(*ends_.near));
  run(leave_loop(*ends_.far));

  ASSERT_TRUE(run_blocking(other.scheduler(), join_loop(*ends_.near, other.streams())).has_value());
  EXPECT_EQ(*run_blocking(other.scheduler(), read_text(*ends_.near, 4, kNever)), "two ");
  run_blocking(other.scheduler(), leave_loop(*ends_.near));

  ASSERT_TRUE(run(join_loop(*ends_.near, runtime_.streams())).has_value());
  ASSERT_TRUE(run_blocking(other.scheduler(), join_loop(*ends_.far, other.streams())).has_value());
  EXPECT_EQ(*run(read_text(*ends_.near, 5, kNever)), "three");
  EXPECT_TRUE(run(write_text(*ends_.near, "here", kNever)).has_value());
  EXPECT_EQ(*run_blocking(other.scheduler(), read_text(*ends_.far, 4, kNever)), "here");
  run_blocking(other.scheduler(), drop_stream(std::move(ends_.far)));
}

class SocketNetworkTest : public testing::Test {
 protected:
  template <class T>
  T run(Task<T> task) {
    return run_blocking(runtime_.scheduler(), std::move(task));
  }
  // What comes of a call there; a stream that was made is closed again.
  std::string call(const StreamAddress& to, Instant deadline = kNever) {
    return run(call_and_close(runtime_.streams(), to, deadline));
  }
  static Task<std::string> call_and_close(StreamNetwork& network, StreamAddress to,
                                          Instant deadline) {
    const OneStream stream = co_await network.connect(to, deadline);
    co_return stream ? "connected" : error_name(stream) + ": " + stream.error().text();
  }
  // The same for a listener there. It is closed again.
  std::string listen(const StreamAddress& at) {
    return run(listen_and_close(runtime_.streams(), at));
  }
  static Task<std::string> listen_and_close(StreamNetwork& network, StreamAddress at) {
    const Result<std::unique_ptr<StreamListener>> listener = network.listen(at);
    co_return listener ? "listened" : error_name(listener) + ": " + listener.error().text();
  }

  Runtime runtime_;
};

Task<std::unique_ptr<StreamListener>> listen_at(StreamNetwork& network, StreamAddress at) {
  Result<std::unique_ptr<StreamListener>> listener = network.listen(at);
  EXPECT_TRUE(listener.has_value()) << listener.error().text();
  co_return std::move(*listener);
}
Task<void> drop_listener(std::unique_ptr<StreamListener> listener) {
  listener.reset();
  co_return;
}

TEST_F(SocketNetworkTest, AHostIsFoundByNameAndByBothKindsOfAddress) {
  auto v4 = run(listen_at(runtime_.streams(), StreamAddress::tcp("127.0.0.1", 0)));
  auto v6 = run(listen_at(runtime_.streams(), StreamAddress::tcp("::1", 0)));

  EXPECT_EQ(call(v4->address()), "connected");
  EXPECT_EQ(call(v6->address()), "connected");
  EXPECT_THAT(v6->address().text(), StartsWith("[::1]:"));
  // Whichever of its addresses comes first, the one where somebody listens is tried.
  EXPECT_EQ(call(StreamAddress::tcp("localhost", v4->address().port())), "connected");

  const StreamAddress gone = v4->address();
  EXPECT_THAT(call(gone, Instant()), StartsWith("timed_out: no answer from 127.0.0.1:"));
  run(drop_listener(std::move(v4)));
  run(drop_listener(std::move(v6)));
  EXPECT_THAT(call(gone), StartsWith("connect_failed: cannot connect to 127.0.0.1:"));
  EXPECT_THAT(call(StreamAddress::tcp("no-such-host.invalid", 1), runtime_.scheduler().now() + 20s),
              HasSubstr("no-such-host.invalid"));
}

TEST_F(SocketNetworkTest, AnAddressThatIsTakenOrMakesNoSenseIsToldSo) {
  auto listener = run(listen_at(runtime_.streams(), StreamAddress::tcp("127.0.0.1", 0)));
  EXPECT_THAT(listen(listener->address()), StartsWith("refused: cannot listen on 127.0.0.1 port"));
  EXPECT_THAT(listen(StreamAddress::tcp("localhost", 0)),
              StartsWith("invalid: \"localhost\" is no IP address"));
  EXPECT_THAT(listen(StreamAddress::unix_socket(std::string(200, '/'))), StartsWith("invalid: "));
  EXPECT_THAT(call(StreamAddress::unix_socket("relative")), StartsWith("invalid: "));
  run(drop_listener(std::move(listener)));
}

TEST_F(SocketNetworkTest, ASocketFileHasTheRightsAskedForAndGoesWithItsListener) {
  namespace fs = std::filesystem;
  const std::string path = test_socket("rights").path();
  for (const unsigned rights : {0600u, 0660u, 0777u}) {
    auto listener = run(listen_at(runtime_.streams(), StreamAddress::unix_socket(path, rights)));
    EXPECT_EQ(static_cast<unsigned>(fs::status(path).permissions()), rights);
    run(drop_listener(std::move(listener)));
    EXPECT_FALSE(fs::exists(path));
  }
}

TEST_F(SocketNetworkTest, AStaleSocketFileIsReplacedALiveOneAndOtherFilesAreNot) {
  namespace fs = std::filesystem;
  const StreamAddress at = test_socket("stale");
  auto first = run(listen_at(runtime_.streams(), at));
  EXPECT_THAT(listen(at), HasSubstr("Address already in use"));
  EXPECT_EQ(call(at), "connected") << "the attempt in vain has left the file alone";

  // As if the process had been killed: the file stays, and nobody listens.
  const std::string kept = at.path() + ".kept";
  fs::rename(at.path(), kept);
  run(drop_listener(std::move(first)));
  fs::rename(kept, at.path());
  EXPECT_THAT(call(at), StartsWith("connect_failed: "));
  auto second = run(listen_at(runtime_.streams(), at));
  EXPECT_EQ(call(at), "connected");

  // Somebody else's file by now: it stays.
  fs::remove(at.path());
  std::FILE* const file = std::fopen(at.path().c_str(), "w");
  std::fclose(file);
  run(drop_listener(std::move(second)));
  EXPECT_TRUE(fs::exists(at.path()));
  EXPECT_THAT(listen(at), HasSubstr("a file is there that is no socket"));
  fs::remove(at.path());
}

Task<std::string> accept_until(StreamListener& listener, Instant deadline) {
  const OneStream stream = co_await listener.accept(deadline);
  co_return error_name(stream);
}
Task<std::string> close_during_accept(Scheduler& scheduler, StreamListener& listener) {
  TaskGroup group(scheduler);
  std::optional<std::string> ending;
  group.spawn(keep_result(accept_until(listener, kNever), ending));
  co_await Yield(scheduler);
  listener.close();
  co_await group.join();
  co_return *ending;
}

TEST_F(SocketNetworkTest, AnAcceptEndsByDeadlineOrClose) {
  auto listener = run(listen_at(runtime_.streams(), StreamAddress::tcp("127.0.0.1", 0)));
  EXPECT_EQ(run(accept_until(*listener, runtime_.scheduler().now() + 1ms)), "timed_out");
  EXPECT_EQ(run(close_during_accept(runtime_.scheduler(), *listener)), "closed");
  EXPECT_EQ(run(accept_until(*listener, kNever)), "closed");
  run(drop_listener(std::move(listener)));
}

// For the time of an accept, the process may have no more descriptors than it has.
Task<std::string> accept_without_descriptors(StreamNetwork& network, StreamListener& listener) {
  OneStream caller = co_await network.connect(listener.address(), kNever);
  EXPECT_TRUE(caller.has_value());
  const int next = ::dup(STDERR_FILENO);
  ::close(next);
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(next);
  ::setrlimit(RLIMIT_NOFILE, &none);
  const std::string refused = co_await accept_until(listener, kNever);
  ::setrlimit(RLIMIT_NOFILE, &before);
  const std::string accepted = co_await accept_until(listener, kNever);
  co_return refused + ", then " + accepted;
}

TEST_F(SocketNetworkTest, WithoutDescriptorsAnAcceptSaysSoAndTheCallerStaysInLine) {
  auto listener = run(listen_at(runtime_.streams(), StreamAddress::tcp("127.0.0.1", 0)));
  EXPECT_EQ(run(accept_without_descriptors(runtime_.streams(), *listener)),
            "limit_reached, then none");
  run(drop_listener(std::move(listener)));
}

}  // namespace
}  // namespace forebay::real
