// From bytes to messages: however the bytes are split, the messages are the same.
#include "forebay/wire/protocol/frame_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/message_writer.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "support/wire_frames.hpp"

namespace forebay::wire {
namespace {

using FrameKind = Frame::Kind;
using test::feed;
using test::read_messages;
using test::WireMessage;
using test::WireMessages;

constexpr std::string_view kClientTypes = "BCDEFHPQSXcdfp";

FrameReader client_reader(MessageTypes whole, std::size_t capacity = 64) {
  FrameReader reader(FrameOptions{.whole = whole, .capacity = capacity});
  reader.expect_messages();
  return reader;
}

rc::Gen<std::vector<WireMessage>> some_messages() {
  return rc::gen::container<std::vector<WireMessage>>(rc::gen::build<WireMessage>(
      rc::gen::set(&WireMessage::type, rc::gen::elementOf(std::string(kClientTypes))),
      rc::gen::set(&WireMessage::body, rc::gen::mapcat(rc::gen::inRange(0, 400), [](int size) {
        return rc::gen::container<std::string>(static_cast<std::size_t>(size),
                                               rc::gen::arbitrary<char>());
      }))));
}

std::string stream_of(const std::vector<WireMessage>& messages) {
  std::string stream;
  for (const WireMessage& message : messages)
    MessageWriter(stream, message.type).bytes(message.body);
  return stream;
}

rc::Gen<std::vector<std::size_t>> some_reads() {
  return rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 300)));
}

RC_GTEST_PROP(FrameReaderProperty, AnySplitGivesTheSameMessages, ()) {
  const auto messages = *some_messages();
  const auto whole =
      *rc::gen::container<std::string>(rc::gen::elementOf(std::string(kClientTypes)));
  FrameReader reader = client_reader(MessageTypes(whole), *rc::gen::inRange<std::size_t>(64, 1000));
  const std::string stream = stream_of(messages);

  const WireMessages read = read_messages(reader, stream, *some_reads());
  RC_ASSERT(!read.is_broken);
  RC_ASSERT(!read.is_open);
  RC_ASSERT(read.all == messages);
  RC_ASSERT(read.bytes == stream);
  RC_ASSERT(reader.unread().empty());
}

RC_GTEST_PROP(FrameReaderProperty, WhatIsWantedWholeComesWhole, ()) {
  const auto messages = *some_messages();
  FrameReader reader = client_reader(MessageTypes::all());
  std::string_view stream;
  const std::string all = stream_of(messages);
  stream = all;
  std::vector<WireMessage> read;
  while (!stream.empty()) {
    stream = feed(reader, stream);
    for (Frame frame = reader.next(); frame.kind != FrameKind::none; frame = reader.next()) {
      RC_ASSERT(frame.kind == FrameKind::whole);
      read.push_back({frame.type, std::string(frame.body)});
    }
  }
  RC_ASSERT(read == messages);
}

RC_GTEST_PROP(FrameReaderProperty, AnotherCapacityChangesNoMessage, ()) {
  const auto messages = *some_messages();
  FrameReader reader = client_reader(MessageTypes::all());
  const std::string all = stream_of(messages);
  std::string_view stream = all;
  std::vector<WireMessage> read;
  while (!stream.empty()) {
    reader.set_capacity(*rc::gen::inRange<std::size_t>(64, 1000));
    stream = feed(reader, stream);
    for (Frame frame = reader.next(); frame.kind != FrameKind::none; frame = reader.next())
      read.push_back({frame.type, std::string(frame.body)});
  }
  RC_ASSERT(read == messages);
}

RC_GTEST_PROP(FrameReaderProperty, GarbageGivesTheSameHoweverItIsSplit,
              (const std::string& bytes)) {
  const auto sender = *rc::gen::element(Sender::client, Sender::server);
  const bool is_startup = sender == Sender::client && *rc::gen::arbitrary<bool>();
  const auto reader = [&] {
    FrameReader made(FrameOptions{.sender = sender, .whole = MessageTypes("PQZ"), .capacity = 64});
    if (!is_startup) made.expect_messages();
    return made;
  };
  FrameReader one = reader();
  FrameReader other = reader();
  const WireMessages at_once = read_messages(one, bytes, {});
  const WireMessages split = read_messages(other, bytes, *some_reads());
  RC_ASSERT(at_once.is_broken == split.is_broken);
  RC_ASSERT(at_once.is_open == split.is_open);
  RC_ASSERT(at_once.all == split.all);
}

TEST(FrameReaderTest, FramesOfOneReadLieSideBySide) {
  std::string stream;
  write_parse(stream, "s", "SELECT 1");
  write_sync(stream);
  write_query(stream, "SELECT 2");
  FrameReader reader = client_reader(MessageTypes(), 1024);
  ASSERT_TRUE(feed(reader, stream).empty());
  const Frame parse = reader.next();
  const Frame sync = reader.next();
  const Frame query = reader.next();
  EXPECT_EQ(parse.bytes.data() + parse.bytes.size(), sync.bytes.data());
  EXPECT_EQ(sync.bytes.data() + sync.bytes.size(), query.bytes.data());
  EXPECT_EQ(parse.type, 'P');
  EXPECT_EQ(sync.body, "");
  EXPECT_EQ(query.kind, FrameKind::whole);
  EXPECT_EQ(reader.next().kind, FrameKind::none);
}

TEST(FrameReaderTest, WhatIsNotWantedWholeIsPassedOnAsItComes) {
  std::string stream;
  write_copy_data(stream, std::string(1000, 'x'));
  FrameReader reader = client_reader(MessageTypes());
  std::string_view rest = feed(reader, std::string_view(stream).substr(0, 5));
  const Frame header = reader.next();
  EXPECT_EQ(header.kind, FrameKind::first);
  EXPECT_EQ(header.length, 1000u);
  EXPECT_EQ(header.body, "");
  EXPECT_EQ(header.bytes.size(), 5u);
  rest = feed(reader, std::string_view(stream).substr(5));
  const Frame piece = reader.next();
  EXPECT_EQ(piece.kind, FrameKind::middle);
  EXPECT_EQ(piece.type, 'd');
  EXPECT_EQ(piece.body.size(), 64u);  // the buffer has not grown
  while (!rest.empty()) {
    EXPECT_EQ(reader.next().kind, FrameKind::none);
    rest = feed(reader, rest);
    const Frame next = reader.next();
    EXPECT_EQ(next.kind, rest.empty() ? FrameKind::last : FrameKind::middle);
  }
}

TEST(FrameReaderTest, TheBufferGrowsWithWhatArrivesAndShrinksAgain) {
  std::string stream;
  write_query(stream, std::string(100'000, 'x'));
  FrameReader reader = client_reader(MessageTypes::all());
  std::string_view rest = stream;
  std::size_t largest = 0;
  while (!rest.empty()) {
    ASSERT_EQ(reader.next().kind, FrameKind::none);
    const std::size_t arrived = stream.size() - rest.size();
    largest = reader.room().size();
    EXPECT_LE(largest, std::max<std::size_t>(64, arrived));  // never more than doubled
    rest = feed(reader, rest);
  }
  const Frame query = reader.next();
  EXPECT_EQ(query.kind, FrameKind::whole);
  EXPECT_EQ(query.body.size(), 100'001u);
  EXPECT_EQ(reader.next().kind, FrameKind::none);
  EXPECT_EQ(reader.room().size(), 64u);
}

struct BadHeader {
  Sender sender;
  bool is_startup;
  std::string bytes;
  std::string sqlstate;
  std::string text;
};

TEST(FrameReaderTest, ImpossibleHeadersAreRefusedWithASentence) {
  const std::vector<BadHeader> cases{
      {Sender::client, true, std::string("\0\0\0\x07", 4), "08P01",
       "invalid length of startup packet: 7 bytes"},
      {Sender::client, true, "GET ", "08P01", "the client may not speak PostgreSQL's protocol"},
      {Sender::client, false, std::string("\xff\0\0\0\x04", 5), "08P01",
       "invalid message type byte 255"},
      {Sender::client, false, std::string("Z\0\0\0\x05", 5), "08P01", "invalid message type 'Z'"},
      {Sender::client, false, std::string("Q\0\0\0\x03", 5), "08P01",
       "invalid length of message Query: 3 bytes"},
      {Sender::client, false, std::string("S\0\0\x27\x11", 5), "08P01",
       "invalid length of message Sync: 10001 bytes, which may be 4 to 10000"},
      {Sender::client, false, std::string("Q\x7f\xff\xff\xff", 5), "08P01", "message Query"},
      {Sender::client, false, std::string("Q\x01\0\0\x05", 5), "54000",
       "message Query of 16777217 bytes is longer than the limit of 16777216 bytes"},
      {Sender::server, false, std::string("Z\0\0\x75\x31", 5), "08P01", "message ReadyForQuery"},
      {Sender::server, false, std::string("?\0\0\0\0", 5), "08P01", "message '?'"},
  };
  for (const BadHeader& bad : cases) {
    FrameReader reader(FrameOptions{.sender = bad.sender});
    if (!bad.is_startup) reader.expect_messages();
    feed(reader, bad.bytes);
    ASSERT_EQ(reader.next().kind, FrameKind::broken) << bad.text;
    EXPECT_EQ(reader.problem().sqlstate(), bad.sqlstate);
    EXPECT_THAT(reader.problem().text(), ::testing::HasSubstr(bad.text));
  }
}

TEST(FrameReaderTest, MessagesOfLaterServersAreLetThrough) {
  std::string stream;
  MessageWriter(stream, '?').text("new");
  FrameReader reader(FrameOptions{.sender = Sender::server});
  feed(reader, stream);
  const Frame frame = reader.next();
  EXPECT_EQ(frame.kind, FrameKind::whole);
  EXPECT_EQ(frame.type, '?');
}

TEST(FrameReaderTest, BytesBeforeMessagesCanBeTakenOut) {
  std::string stream = "N";
  write_ready_for_query(stream, TransactionStatus::idle);
  FrameReader reader(FrameOptions{.sender = Sender::server});
  feed(reader, stream);
  EXPECT_EQ(reader.unread().front(), 'N');
  reader.skip(1);
  EXPECT_EQ(reader.next().type, 'Z');
  EXPECT_TRUE(reader.unread().empty());
}

}  // namespace
}  // namespace forebay::wire
