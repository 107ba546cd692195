// How sessions begin: packets read as they were written, versions, and what is refused.
#include "forebay/wire/protocol/startup.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "forebay/detail/base/check.hpp"

namespace forebay::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Settings = std::vector<std::pair<std::string_view, std::string_view>>;

std::string_view body_of_packet(const std::string& packet) {
  return std::string_view(packet).substr(4);
}

StartupView startup_of(std::string& out, const Settings& settings,
                       ProtocolVersion version = kVersion30) {
  out.clear();
  write_startup(out, version, settings);
  const Result<StartupPacket> packet = parse_startup(body_of_packet(out));
  FOREBAY_CHECK(packet.has_value(), packet.error().text());
  return std::get<StartupView>(*packet);
}

RC_GTEST_PROP(StartupProperty, ParametersAreReadAsTheyWereWritten, ()) {
  const auto text = rc::gen::container<std::string>(rc::gen::nonZero<char>());
  const auto owned = *rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
      rc::gen::pair(rc::gen::nonEmpty(text), text));
  Settings settings{{"user", "app"}};
  settings.insert(settings.end(), owned.begin(), owned.end());
  settings.emplace_back("user", "last");
  const ProtocolVersion version{3, *rc::gen::arbitrary<std::uint16_t>()};
  std::string out;
  const StartupView view = startup_of(out, settings, version);
  RC_ASSERT(view.version == version);
  RC_ASSERT(view.user() == "last");
  RC_ASSERT(Settings(view.parameters.begin(), view.parameters.end()) == settings);
}

RC_GTEST_PROP(StartupProperty, CancelRequestsAreReadAsTheyWereWritten, ()) {
  const auto process = *rc::gen::arbitrary<std::uint32_t>();
  const std::string key = *rc::gen::container<std::string>(*rc::gen::inRange<std::size_t>(4, 257),
                                                           rc::gen::arbitrary<char>());
  std::string out;
  write_cancel_request(out, {process, key});
  const Result<StartupPacket> packet = parse_startup(body_of_packet(out));
  RC_ASSERT(packet.has_value());
  RC_ASSERT(std::get<CancelKeyView>(*packet).process == process);
  RC_ASSERT(std::get<CancelKeyView>(*packet).key == key);
}

RC_GTEST_PROP(StartupProperty, GarbageIsRefusedOrRead, (const std::string& bytes)) {
  const std::string code = *rc::gen::element(std::string("\0\3\0\0", 4), std::string("\0\3\0\2", 4),
                                             std::string("\x04\xd2\x16\x2e", 4), std::string());
  const std::string body = code + bytes;
  const Result<StartupPacket> packet = parse_startup(body);
  if (!packet) RC_ASSERT(!packet.error().sqlstate().empty());
}

TEST(StartupTest, RequestsForEncryption) {
  std::string out;
  write_ssl_request(out);
  EXPECT_EQ(out, std::string("\0\0\0\x08\x04\xd2\x16\x2f", 8));
  EXPECT_TRUE(std::holds_alternative<SslRequest>(*parse_startup(body_of_packet(out))));
  out.clear();
  write_gss_request(out);
  EXPECT_EQ(out, std::string("\0\0\0\x08\x04\xd2\x16\x30", 8));
  EXPECT_TRUE(std::holds_alternative<GssRequest>(*parse_startup(body_of_packet(out))));
  // Bytes after the request would be taken for something said under encryption.
  EXPECT_FALSE(parse_startup(std::string("\x04\xd2\x16\x2fx", 5)));
  EXPECT_TRUE(begins_with_tls("\x16\x03\x01"));
  EXPECT_FALSE(begins_with_tls(out));
}

TEST(StartupTest, DatabaseAndReplication) {
  std::string out;
  EXPECT_EQ(startup_of(out, {{"user", "app"}}).database(), "app");
  EXPECT_EQ(startup_of(out, {{"user", "app"}, {"database", "shop"}}).database(), "shop");
  EXPECT_FALSE(startup_of(out, {{"user", "app"}}).is_replication());
  EXPECT_FALSE(startup_of(out, {{"user", "app"}, {"replication", "false"}}).is_replication());
  EXPECT_TRUE(startup_of(out, {{"user", "app"}, {"replication", "database"}}).is_replication());
}

TEST(StartupTest, WhatNoServerAccepts) {
  const auto refusal = [](std::string_view body) {
    const Result<StartupPacket> packet = parse_startup(body);
    return packet ? "accepted" : packet.error().sqlstate() + " " + packet.error().text();
  };
  EXPECT_THAT(refusal({"\0\2\0\0", 4}), HasSubstr("0A000 unsupported frontend protocol 2.0"));
  EXPECT_THAT(refusal({"\0\4\0\1", 4}), HasSubstr("0A000 unsupported frontend protocol 4.1"));
  EXPECT_THAT(refusal({"\0\3\0\0\0", 5}), HasSubstr("28000 no PostgreSQL user name"));
  EXPECT_THAT(refusal({"\0\3\0\0", 4}), HasSubstr("08P01 malformed message StartupMessage"));
  EXPECT_THAT(refusal({"\0\3\0\0user\0app", 12}), HasSubstr("a text has no end"));
  EXPECT_THAT(refusal({"\0\3\0\0user\0app\0\0x", 15}), HasSubstr("left over"));
  EXPECT_THAT(refusal({"\x04\xd2\x16\x2e\0\0\0\1key", 11}), HasSubstr("4 to 256 bytes"));
}

TEST(StartupTest, ClientsAreToldWhatTheyCannotHave) {
  std::string out;
  const Settings options{{"user", "app"}, {"_pq_.compression", "zstd"}, {"_pq_.x", ""}};
  const StartupView asked = startup_of(out, options, {3, 9999});
  const Negotiation negotiation(asked);
  EXPECT_TRUE(negotiation.must_be_told);
  EXPECT_EQ(negotiation.version, kVersion32);
  EXPECT_THAT(negotiation.unknown_options, ElementsAre("_pq_.compression", "_pq_.x"));

  std::string answer;
  write_negotiation(answer, negotiation);
  const Result<NegotiationView> read = parse_negotiation(std::string_view(answer).substr(5));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->version, kVersion32);
  EXPECT_THAT(std::vector(read->unknown_options.begin(), read->unknown_options.end()),
              ElementsAre("_pq_.compression", "_pq_.x"));
  EXPECT_EQ(*negotiated_version(*read, {3, 9999}), kVersion32);

  const StartupView modest = startup_of(out, {{"user", "app"}}, kVersion30);
  EXPECT_FALSE(Negotiation(modest).must_be_told);
  EXPECT_EQ(Negotiation(modest).version, kVersion30);
}

TEST(StartupTest, ServersMayOnlyGoDown) {
  const auto answer = [](std::uint16_t major, std::uint16_t minor) {
    return NegotiationView{.version = {major, minor}};
  };
  EXPECT_EQ(*negotiated_version(answer(3, 0), kVersion32), kVersion30);
  EXPECT_FALSE(negotiated_version(answer(3, 2), kVersion30));
  EXPECT_FALSE(negotiated_version(answer(3, 1), kVersion32));  // never existed
  EXPECT_FALSE(negotiated_version(answer(2, 0), kVersion32));
  EXPECT_FALSE(negotiated_version(answer(4, 0), kVersion32));
}

}  // namespace
}  // namespace forebay::wire
