// What is written is read back as it was; what is cut short or too long is refused.
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "forebay/wire/protocol/authentication_request.hpp"
#include "forebay/wire/protocol/client_messages.hpp"
#include "forebay/wire/protocol/server_messages.hpp"
#include "support/wire_frames.hpp"

namespace forebay::wire {
namespace {

using ::testing::HasSubstr;

// Texts as the protocol has them: anything but zero bytes.
rc::Gen<std::string> some_text() {
  return rc::gen::container<std::string>(rc::gen::nonZero<char>());
}
template <class Number>
rc::Gen<std::vector<Number>> some_numbers() {
  return rc::gen::arbitrary<std::vector<Number>>();
}

rc::Gen<std::optional<std::string>> some_value() {
  return rc::gen::map(rc::gen::maybe(rc::gen::arbitrary<std::string>()),
                      [](const rc::Maybe<std::string>& value) {
                        return value ? std::optional(*value) : std::nullopt;
                      });
}

// Values own their bytes here, and are lent to writers as views.
struct OwnedValues {
  std::vector<std::optional<std::string>> owned;
  std::vector<Value> views() const { return {owned.begin(), owned.end()}; }
};
OwnedValues some_values() {
  OwnedValues values;
  values.owned = *rc::gen::container<std::vector<std::optional<std::string>>>(some_value());
  return values;
}

// The body of the only message in the buffer.
std::string body_of(const std::string& message, Sender sender, char type) {
  FrameReader reader(FrameOptions{.sender = sender});
  reader.expect_messages();
  const test::WireMessages read = test::read_messages(reader, message, {});
  RC_ASSERT(!read.is_broken && !read.is_open && read.all.size() == 1);
  RC_ASSERT(read.all[0].type == type);
  return read.all[0].body;
}
std::string client_body(const std::string& message, ClientMessage type) {
  return body_of(message, Sender::client, static_cast<char>(type));
}
std::string server_body(const std::string& message, ServerMessage type) {
  return body_of(message, Sender::server, static_cast<char>(type));
}

template <class Number>
bool equal(const NumberList<Number>& read, const std::vector<Number>& written) {
  bool is_equal = read.size() == written.size();
  for (std::size_t place = 0; is_equal && place < written.size(); ++place)
    is_equal = read[place] == written[place];
  return is_equal;
}
template <class List, class Written>
bool equal_list(const List& read, const Written& written) {
  return read.size() == written.size() &&
         std::equal(read.begin(), read.end(), written.begin(), written.end());
}

RC_GTEST_PROP(ClientMessagesProperty, ParseIsReadAsItWasWritten, ()) {
  const std::string statement = *some_text();
  const std::string sql = *some_text();
  const auto types = *some_numbers<std::uint32_t>();
  std::string out;
  write_parse(out, statement, sql, types);
  const std::string body = client_body(out, ClientMessage::parse);
  const Result<ParseView> parse = parse_parse(body);
  RC_ASSERT(parse.has_value());
  RC_ASSERT(parse->statement == statement);
  RC_ASSERT(parse->sql == sql);
  RC_ASSERT(equal(parse->parameter_types, types));
  RC_ASSERT(leading_name(body) == statement);
}

RC_GTEST_PROP(ClientMessagesProperty, BindIsReadAsItWasWritten, ()) {
  const std::string portal = *some_text();
  const std::string statement = *some_text();
  const auto formats = *some_numbers<std::int16_t>();
  const auto results = *some_numbers<std::int16_t>();
  const OwnedValues values = some_values();
  const std::vector<Value> parameters = values.views();
  std::string out;
  write_bind(out, {portal, statement, formats, parameters, results});
  const std::string body = client_body(out, ClientMessage::bind);
  const Result<BindView> bind = parse_bind(body);
  RC_ASSERT(bind.has_value());
  RC_ASSERT(bind->portal == portal);
  RC_ASSERT(bind->statement == statement);
  RC_ASSERT(equal(bind->parameter_formats, formats));
  RC_ASSERT(equal_list(bind->parameters, parameters));
  RC_ASSERT(equal(bind->result_formats, results));
}

RC_GTEST_PROP(ClientMessagesProperty, SmallOnesAreReadAsTheyWereWritten, ()) {
  const std::string text = *some_text();
  const auto number = *rc::gen::arbitrary<std::uint32_t>();
  const Target target = *rc::gen::element(Target::statement, Target::portal);
  std::string out;
  write_query(out, text);
  std::string body = client_body(out, ClientMessage::query);
  RC_ASSERT(parse_query(body)->sql == text);
  out.clear();
  write_describe(out, target, text);
  body = client_body(out, ClientMessage::describe);
  RC_ASSERT(parse_describe(body)->target == target && parse_describe(body)->name == text);
  out.clear();
  write_close(out, target, text);
  body = client_body(out, ClientMessage::close);
  RC_ASSERT(parse_close(body)->target == target && parse_close(body)->name == text);
  out.clear();
  write_execute(out, text, number);
  body = client_body(out, ClientMessage::execute);
  RC_ASSERT(parse_execute(body)->portal == text && parse_execute(body)->most_rows == number);
  out.clear();
  write_copy_fail(out, text);
  body = client_body(out, ClientMessage::copy_fail);
  RC_ASSERT(parse_copy_fail(body)->reason == text);
  out.clear();
  write_password(out, text);
  body = client_body(out, ClientMessage::password);
  RC_ASSERT(*parse_password(body) == text);
  out.clear();
  write_sasl_initial(out, "SCRAM-SHA-256", text);
  body = client_body(out, ClientMessage::password);
  RC_ASSERT(parse_sasl_initial(body)->mechanism == "SCRAM-SHA-256");
  RC_ASSERT(parse_sasl_initial(body)->data == text);
}

RC_GTEST_PROP(ClientMessagesProperty, FunctionCallsAreReadAsTheyWereWritten, ()) {
  const auto formats = *some_numbers<std::int16_t>();
  const OwnedValues values = some_values();
  const std::vector<Value> arguments = values.views();
  std::string out;
  write_function_call(out, {17, formats, arguments, 1});
  const std::string body = client_body(out, ClientMessage::function_call);
  const Result<FunctionCallView> call = parse_function_call(body);
  RC_ASSERT(call.has_value());
  RC_ASSERT(call->function == 17u);
  RC_ASSERT(equal(call->argument_formats, formats));
  RC_ASSERT(equal_list(call->arguments, arguments));
  RC_ASSERT(call->result_format == 1);
}

TEST(ClientMessagesTest, TheSmallestAreTheirHeaderOnly) {
  std::string out;
  write_sync(out);
  write_flush(out);
  write_copy_done(out);
  write_terminate(out);
  EXPECT_EQ(out, std::string("S\0\0\0\4H\0\0\0\4c\0\0\0\4X\0\0\0\4", 20));
  EXPECT_TRUE(parse_empty(Sender::client, 'S', ""));
  const Result<void> filled = parse_empty(Sender::client, 'S', "x");
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().text(), "malformed message Sync: bytes are left over at its end");
  EXPECT_EQ(filled.error().sqlstate(), "08P01");
}

TEST(ClientMessagesTest, LayoutsAreCheckedToTheLastByte) {
  EXPECT_THAT(parse_query("SELECT 1").error().text(), HasSubstr("Query: a text has no end"));
  EXPECT_THAT(parse_query({"SELECT 1\0;", 10}).error().text(), HasSubstr("left over"));
  EXPECT_THAT(parse_parse({"\0\0", 2}).error().text(), HasSubstr("Parse: it ends early"));
  EXPECT_THAT(parse_describe({"X\0", 2}).error().text(), HasSubstr("neither about a statement"));
  EXPECT_THAT(parse_bind({"\0\0\0\0\0\1\xff\xff\xff\xfe\0\0", 12}).error().text(),
              HasSubstr("a value has a length below zero"));
  EXPECT_THAT(parse_bind({"\0\0\0\0\0\1\x7f\xff\xff\xff\0\0", 12}).error().text(),
              HasSubstr("ends early"));
  EXPECT_FALSE(leading_name("abc"));
}

RC_GTEST_PROP(ServerMessagesProperty, RowsAreReadAsTheyWereWritten, ()) {
  const OwnedValues values = some_values();
  const std::vector<Value> row = values.views();
  std::string out;
  write_data_row(out, row);
  const std::string body = server_body(out, ServerMessage::data_row);
  RC_ASSERT(equal_list(*parse_data_row(body), row));
}

RC_GTEST_PROP(ServerMessagesProperty, ColumnsAreReadAsTheyWereWritten, ()) {
  const auto names = *rc::gen::container<std::vector<std::string>>(some_text());
  std::vector<Column> columns;
  for (const std::string& name : names) {
    columns.push_back({name, *rc::gen::arbitrary<std::uint32_t>(),
                       *rc::gen::arbitrary<std::int16_t>(), *rc::gen::arbitrary<std::uint32_t>(),
                       *rc::gen::arbitrary<std::int16_t>(), *rc::gen::arbitrary<std::int32_t>(),
                       *rc::gen::arbitrary<std::int16_t>()});
  }
  std::string out;
  write_row_description(out, columns);
  const std::string body = server_body(out, ServerMessage::row_description);
  RC_ASSERT(equal_list(*parse_row_description(body), columns));
}

RC_GTEST_PROP(ServerMessagesProperty, SmallOnesAreReadAsTheyWereWritten, ()) {
  const std::string one = *some_text();
  const std::string other = *some_text();
  const auto number = *rc::gen::arbitrary<std::uint32_t>();
  std::string out;
  write_parameter_status(out, one, other);
  std::string body = server_body(out, ServerMessage::parameter_status);
  RC_ASSERT(parse_parameter_status(body)->name == one);
  RC_ASSERT(parse_parameter_status(body)->value == other);
  out.clear();
  write_notification(out, {number, one, other});
  body = server_body(out, ServerMessage::notification_response);
  RC_ASSERT(parse_notification(body)->process == number);
  RC_ASSERT(parse_notification(body)->channel == one);
  RC_ASSERT(parse_notification(body)->payload == other);
  out.clear();
  write_command_complete(out, one);
  body = server_body(out, ServerMessage::command_complete);
  RC_ASSERT(*parse_command_complete(body) == one);
  const std::string key = *rc::gen::container<std::string>(*rc::gen::inRange<std::size_t>(4, 257),
                                                           rc::gen::arbitrary<char>());
  out.clear();
  write_backend_key_data(out, {number, key});
  body = server_body(out, ServerMessage::backend_key_data);
  RC_ASSERT(parse_backend_key_data(body)->process == number);
  RC_ASSERT(parse_backend_key_data(body)->key == key);
}

RC_GTEST_PROP(ServerMessagesProperty, ListsAreReadAsTheyWereWritten, ()) {
  const auto formats = *some_numbers<std::int16_t>();
  const auto types = *some_numbers<std::uint32_t>();
  const auto type =
      *rc::gen::element(ServerMessage::copy_in_response, ServerMessage::copy_out_response,
                        ServerMessage::copy_both_response);
  std::string out;
  write_copy_response(out, type, 1, formats);
  std::string body = server_body(out, type);
  RC_ASSERT(parse_copy_response(body)->format == 1);
  RC_ASSERT(equal(parse_copy_response(body)->column_formats, formats));
  out.clear();
  write_parameter_description(out, types);
  body = server_body(out, ServerMessage::parameter_description);
  RC_ASSERT(equal(*parse_parameter_description(body), types));
  const std::optional<std::string> result = *some_value();
  out.clear();
  write_function_call_response(out, result ? Value(*result) : std::nullopt);
  body = server_body(out, ServerMessage::function_call_response);
  RC_ASSERT(*parse_function_call_response(body) == (result ? Value(*result) : std::nullopt));
}

TEST(ServerMessagesTest, TransactionStatus) {
  EXPECT_EQ(*parse_ready_for_query("I"), TransactionStatus::idle);
  EXPECT_EQ(*parse_ready_for_query("T"), TransactionStatus::in_transaction);
  EXPECT_EQ(*parse_ready_for_query("E"), TransactionStatus::failed);
  EXPECT_FALSE(parse_ready_for_query("X"));
  EXPECT_FALSE(parse_ready_for_query(""));
  EXPECT_FALSE(parse_ready_for_query("II"));
}

TEST(ServerMessagesTest, CancelKeysHaveFourTo256Bytes) {
  EXPECT_TRUE(parse_backend_key_data(std::string(8, 'k')));
  EXPECT_TRUE(parse_backend_key_data(std::string(4 + 256, 'k')));
  EXPECT_FALSE(parse_backend_key_data(std::string(7, 'k')));
  EXPECT_FALSE(parse_backend_key_data(std::string(4 + 257, 'k')));
}

TEST(ServerMessagesTest, WhatHasNoBody) {
  std::string out;
  write_empty(out, ServerMessage::parse_complete);
  write_empty(out, ServerMessage::portal_suspended);
  EXPECT_EQ(out, std::string("1\0\0\0\4s\0\0\0\4", 10));
}

TEST(ServerMessagesTest, RequestsForAuthentication) {
  std::string out;
  const std::array<std::string_view, 2> mechanisms{"SCRAM-SHA-256-PLUS", "SCRAM-SHA-256"};
  write_authentication_sasl(out, mechanisms);
  const Result<AuthenticationView> sasl = parse_authentication(std::string_view(out).substr(5));
  ASSERT_TRUE(sasl);
  EXPECT_EQ(sasl->kind, AuthenticationKind::sasl);
  EXPECT_TRUE(equal_list(sasl->mechanisms, mechanisms));

  out.clear();
  write_authentication(out, AuthenticationKind::md5, "salt");
  EXPECT_EQ(parse_authentication(std::string_view(out).substr(5))->data, "salt");
  EXPECT_FALSE(parse_authentication({"\0\0\0\5sal", 7}));
  EXPECT_FALSE(parse_authentication({"\0\0\0\0x", 5}));
  EXPECT_FALSE(parse_authentication({"\0\0\0\x0a\0", 5}));                      // no mechanism
  EXPECT_EQ(static_cast<int>(parse_authentication({"\0\0\0\7", 4})->kind), 7);  // GSSAPI
}

TEST(MessageTypeTest, EveryMessageHasANameOfItsOwn) {
  for (const Sender sender : {Sender::client, Sender::server}) {
    std::set<std::string_view> names;
    int known = 0;
    for (int type = 0; type < 256; ++type) {
      const std::string_view name = message_name(sender, static_cast<char>(type));
      if (name.empty()) continue;
      ++known;
      names.insert(name);
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(known));
    EXPECT_EQ(known, sender == Sender::client ? 14 : 24);
  }
}

}  // namespace
}  // namespace forebay::wire
