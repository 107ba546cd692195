// What clients send once a session has begun: views of bodies, and writers of whole messages.
//
// A view holds as long as the body that it was read from. Parsers check the layout of a message,
// to its last byte, and leave its meaning to the server.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "forebay/base/error.hpp"
#include "forebay/wire/protocol/lists.hpp"
#include "forebay/wire/protocol/message_type.hpp"

namespace forebay::wire {

// What Describe and Close are about.
enum class Target : char { statement = 'S', portal = 'P' };

struct QueryView {
  std::string_view sql;
};
struct ParseView {
  std::string_view statement;  // empty: the unnamed one
  std::string_view sql;
  TypeList parameter_types;  // 0: the server finds out
};
struct BindView {
  std::string_view portal;
  std::string_view statement;
  FormatList parameter_formats;  // none: text; one: of all; or each its own
  ValueList parameters;
  FormatList result_formats;  // as above
};
struct TargetView {
  Target target = Target::statement;
  std::string_view name;
};
struct ExecuteView {
  std::string_view portal;
  std::uint32_t most_rows = 0;  // 0: all
};
struct CopyFailView {
  std::string_view reason;
};
struct FunctionCallView {
  std::uint32_t function = 0;
  FormatList argument_formats;
  ValueList arguments;
  std::int16_t result_format = 0;
};
// The first 'p' of SASL. Later ones are data and nothing else.
struct SaslInitialView {
  std::string_view mechanism;
  Value data;
};

Result<QueryView> parse_query(std::string_view body);
Result<ParseView> parse_parse(std::string_view body);
Result<BindView> parse_bind(std::string_view body);
Result<TargetView> parse_describe(std::string_view body);
Result<TargetView> parse_close(std::string_view body);
Result<ExecuteView> parse_execute(std::string_view body);
Result<CopyFailView> parse_copy_fail(std::string_view body);
Result<FunctionCallView> parse_function_call(std::string_view body);
Result<std::string_view> parse_password(std::string_view body);
Result<SaslInitialView> parse_sasl_initial(std::string_view body);
// Sync, Flush, CopyDone, Terminate: nothing may be in them.
Result<void> parse_empty(Sender sender, char type, std::string_view body);

// The first name in a body, without a look at the rest, which may not have come yet: the statement
// of Parse. Nothing: it has no end so far.
std::optional<std::string_view> leading_name(std::string_view body);

// What goes into Bind, for writing.
struct BindParts {
  std::string_view portal{};
  std::string_view statement{};
  std::span<const std::int16_t> parameter_formats{};
  std::span<const Value> parameters{};
  std::span<const std::int16_t> result_formats{};
};
struct FunctionCallParts {
  std::uint32_t function = 0;
  std::span<const std::int16_t> argument_formats{};
  std::span<const Value> arguments{};
  std::int16_t result_format = 0;
};

// REQUIRES of all: no zero byte in a text.
void write_query(std::string& out, std::string_view sql);
void write_parse(std::string& out, std::string_view statement, std::string_view sql,
                 std::span<const std::uint32_t> parameter_types = {});
void write_bind(std::string& out, const BindParts& bind);
void write_describe(std::string& out, Target target, std::string_view name);
void write_close(std::string& out, Target target, std::string_view name);
void write_execute(std::string& out, std::string_view portal, std::uint32_t most_rows = 0);
void write_copy_data(std::string& out, std::string_view data);  // both sides send it
void write_copy_done(std::string& out);                         // both sides send it
void write_copy_fail(std::string& out, std::string_view reason);
void write_function_call(std::string& out, const FunctionCallParts& call);
void write_password(std::string& out, std::string_view password);
void write_sasl_initial(std::string& out, std::string_view mechanism, std::string_view data);
void write_sasl_response(std::string& out, std::string_view data);
void write_sync(std::string& out);
void write_flush(std::string& out);
void write_terminate(std::string& out);

}  // namespace forebay::wire
