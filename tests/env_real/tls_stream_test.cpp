// TLS over simulated streams, so that each split, cut and delay can be tried: bytes arrive in
// order, a cut is never taken for an end, and nothing said in the clear gets inside.
#include "forebay/env/real/tls_stream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/stream_tasks.hpp"
#include "support/tls_pair.hpp"

namespace forebay::real {
namespace {

using namespace std::chrono_literals;
using sim::SimStreamOptions;
using sim::SimWire;
using test::authority;
using test::CertificateFiles;
using test::CertificateWish;
using test::client_options;
using test::error_name;
using test::keep_result;
using test::read_text;
using test::read_to_end;
using test::server_options;
using test::TlsPair;
using test::write_text;
using test::write_texts;
using testing::HasSubstr;

SimStreamOptions choppy(std::size_t capacity) {
  SimStreamOptions options;
  options.most_delay = 1ms;
  options.capacity = capacity;
  options.is_choppy = true;
  return options;
}

Task<Result<void>> say_all_and_finish(ByteStream& stream, std::vector<std::string> texts) {
  Result<void> written = co_await write_texts(stream, std::move(texts), kNever);
  if (!written) co_return written;
  co_return co_await stream.finish(kNever);
}

RC_GTEST_PROP(TlsStreamProperty, WhatIsWrittenArrivesInOrderHoweverItIsSplit, ()) {
  const auto sizes = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 40'000));
  TlsPair pair(choppy(*rc::gen::inRange<std::size_t>(100, 20'000)),
               *rc::gen::arbitrary<std::uint64_t>());
  std::vector<std::string> texts;
  std::string all;
  for (const int size : sizes) {
    texts.emplace_back(static_cast<std::size_t>(size), static_cast<char>('a' + texts.size() % 26));
    all += texts.back();
  }
  static const TlsServerOptions for_server = server_options();
  pair.shake_hands(for_server, client_options());
  RC_ASSERT(pair.client->has_value() && pair.server->has_value());

  std::optional<Result<void>> said, echoed;
  std::optional<Result<std::string>> back;
  start_detached(pair.scheduler, keep_result(say_all_and_finish(***pair.client, texts), said));
  start_detached(pair.scheduler, keep_result(test::echo(***pair.server, kNever), echoed));
  start_detached(pair.scheduler, keep_result(read_to_end(***pair.client, kNever), back));
  pair.scheduler.run();

  RC_ASSERT(said && said->has_value());
  RC_ASSERT(echoed && echoed->has_value());
  RC_ASSERT(back && back->has_value());
  RC_ASSERT(**back == all);
}

TEST(TlsStreamTest, BothSidesKnowWhoIsThere) {
  TlsServerOptions for_server = server_options();
  for_server.client_ca_file = authority().ca_file();
  for_server.is_client_certificate_required = true;
  for_server.protocol = "postgresql";
  TlsClientOptions for_client = client_options();
  CertificateWish wish;
  wish.name = "application";
  const CertificateFiles own = authority().issue(wish);
  for_client.certificate_file = own.certificate;
  for_client.key_file = own.key;
  for_client.protocol = "postgresql";
  TlsPair pair;
  pair.shake_hands(for_server, for_client);

  ASSERT_TRUE(pair.server->has_value()) << pair.server->error().text();
  ASSERT_TRUE(pair.client->has_value()) << pair.client->error().text();
  const StreamPeer& client = (**pair.server)->peer();
  EXPECT_EQ(client.address, "sim:caller");
  EXPECT_EQ(client.server_name, "localhost");
  EXPECT_EQ(client.certificate_subject, "CN=application");
  EXPECT_EQ(client.protocol, "postgresql");
  const StreamPeer& server = (**pair.client)->peer();
  EXPECT_EQ(server.certificate_subject, "CN=server");
  EXPECT_EQ(server.protocol, "postgresql");
}

// The wire breaks after each byte of the handshake in turn, in either direction: both sides end,
// with an error.
TEST(TlsStreamTest, AHandshakeThatIsCutAtAnyByteEndsForBoth) {
  const TlsServerOptions for_server = server_options();
  TlsPair whole;
  whole.shake_hands(for_server, client_options());
  for (const SimWire::Side side : {SimWire::Side::caller, SimWire::Side::called}) {
    // Certificates differ by a byte or two from one handshake to the next; so does the last part.
    const std::uint64_t length = whole.wire->written_by(side) - 100;
    for (std::uint64_t k = 0; k < length; k += 7) {
      TlsPair pair;
      pair.wire->cut_after(side, k);
      pair.shake_hands(for_server, client_options());
      EXPECT_EQ(error_name(*pair.server), "connection_lost") << "after " << k;
      // In TLS 1.3 the client is done before the server has heard so.
      if (side == SimWire::Side::called) {
        EXPECT_EQ(error_name(*pair.client), "connection_lost") << "after " << k;
      }
    }
  }
}

TEST(TlsStreamTest, ACutIsNotAnEnd) {
  TlsPair pair;
  pair.shake_hands(server_options(), client_options());
  pair.run(write_text(***pair.client, "half a sen", kNever));
  EXPECT_EQ(**pair.run(read_text(***pair.server, 10, kNever)), "half a sen");

  // Somebody between ends the connection as TCP does, without TLS's goodbye.
  pair.client->value()->close();
  const Result<std::string> rest = *pair.run(read_to_end(***pair.server, kNever));
  EXPECT_EQ(error_name(rest), "connection_lost");
  EXPECT_THAT(rest.error().text(), HasSubstr("ended without a goodbye"));
}

TEST(TlsStreamTest, AfterAHalfCloseTheOtherDirectionGoesOn) {
  TlsPair pair;
  pair.shake_hands(server_options(), client_options());
  pair.run(say_all_and_finish(***pair.client, {"a question"}));
  EXPECT_EQ(**pair.run(read_to_end(***pair.server, kNever)), "a question");
  pair.run(say_all_and_finish(***pair.server, {"an answer"}));
  EXPECT_EQ(**pair.run(read_to_end(***pair.client, kNever)), "an answer");
}

TEST(TlsStreamTest, DeadlinesEndHandshakesAndReadsAndLoseNothing) {
  TlsPair silent;
  silent.wire->fall_silent();
  silent.shake_hands(server_options(), client_options());
  EXPECT_EQ(error_name(*silent.client), "timed_out");
  EXPECT_EQ(error_name(*silent.server), "timed_out");
  EXPECT_EQ(silent.scheduler.now(), silent.deadline);

  TlsPair pair;
  pair.shake_hands(server_options(), client_options());
  const Instant soon = pair.scheduler.now() + 1s;
  EXPECT_EQ(error_name(*pair.run(read_text(***pair.server, 5, soon))), "timed_out");
  std::optional<Result<std::string>> early;
  start_detached(pair.scheduler, keep_result(read_text(***pair.server, 5, kNever), early));
  pair.scheduler.run();
  (**pair.server)->interrupt_read();
  pair.scheduler.run();
  EXPECT_EQ(error_name(*early), "timed_out");
  pair.run(write_text(***pair.client, "there", kNever));
  EXPECT_EQ(**pair.run(read_text(***pair.server, 5, kNever)), "there");
}

// A wire that changes one byte is noticed, and what it carried is not taken.
TEST(TlsStreamTest, BytesThatSomebodyChangedAreNotTaken) {
  TlsPair pair;
  pair.shake_hands(server_options(), client_options());
  std::unique_ptr<ByteStream> stranger = std::make_unique<sim::SimStream>(
      pair.wire, SimWire::Side::caller, pair.scheduler, StreamPeer("stranger"));
  pair.run(
      write_text(*stranger, std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'x'), kNever));

  const Result<std::string> heard = *pair.run(read_text(***pair.server, 1, kNever));
  EXPECT_EQ(error_name(heard), "connection_lost");
  EXPECT_EQ(error_name(*pair.run(write_text(***pair.server, "x", kNever))), "connection_lost");
}

std::string early_bytes(TlsOpening opening, const std::string& early) {
  TlsPair pair;
  const auto server = make_tls_server(server_options());
  const auto result = pair.run((*server)->accept(std::move(pair.clear_server), opening,
                                                 test::bytes_of(early), pair.deadline));
  return error_name(*result) + ": " + result->error().text();
}

// CVE-2021-23214 and CVE-2021-23222: what came in the clear must not be taken for what came by TLS.
TEST(TlsStreamTest, BytesThatCameBeforeTlsWasAgreedOnAreRefused) {
  EXPECT_THAT(early_bytes(TlsOpening::negotiated, "Q....drop table"),
              testing::StartsWith("refused: sim:caller sent more in the clear before TLS began"));
  EXPECT_THAT(early_bytes(TlsOpening::direct, "GET / HTTP/1.1\r\n"),
              HasSubstr("does not speak TLS here"));

  TlsPair pair;
  const auto client = make_tls_client(client_options());
  const std::string early = "E....";
  const auto result = pair.run((*client)->connect(std::move(pair.clear_client), "localhost",
                                                  test::bytes_of(early), pair.deadline));
  EXPECT_EQ(error_name(*result), "refused");
}

// A server that looks at the first bytes to see what the client speaks, and then lets TLS have
// them.
TEST(TlsStreamTest, BytesOfADirectTlsAreHandedOnToIt) {
  TlsPair pair;
  const auto server = make_tls_server(server_options());
  const auto client = make_tls_client(client_options());
  start_detached(pair.scheduler,
                 keep_result((*client)->connect(std::move(pair.clear_client), "localhost",
                                                ConstBytes(), pair.deadline),
                             pair.client));
  std::optional<Result<std::string>> seen;
  start_detached(pair.scheduler, keep_result(read_text(*pair.clear_server, 64, kNever), seen));
  pair.scheduler.settle();
  ASSERT_TRUE(seen.has_value() && seen->has_value());
  EXPECT_EQ(seen->value().front(), '\x16');
  start_detached(pair.scheduler,
                 keep_result((*server)->accept(std::move(pair.clear_server), TlsOpening::direct,
                                               test::bytes_of(seen->value()), pair.deadline),
                             pair.server));
  pair.scheduler.settle();

  ASSERT_TRUE(pair.server.has_value() && pair.server->has_value());
  ASSERT_TRUE(pair.client.has_value() && pair.client->has_value());
  pair.run(write_text(***pair.client, "inside", kNever));
  EXPECT_EQ(**pair.run(read_text(***pair.server, 6, kNever)), "inside");
}

}  // namespace
}  // namespace forebay::real
