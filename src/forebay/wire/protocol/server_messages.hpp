// What servers send: views of bodies, and writers of whole messages. Errors and notices are in
// error_fields.hpp, authentication in authentication_request.hpp.
//
// A view holds as long as the body that it was read from. Without a body are ParseComplete,
// BindComplete, CloseComplete, NoData, PortalSuspended, EmptyQueryResponse and CopyDone: see
// parse_empty() and write_empty().
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "forebay/base/error.hpp"
#include "forebay/wire/protocol/lists.hpp"
#include "forebay/wire/protocol/message_type.hpp"
#include "forebay/wire/protocol/startup.hpp"

namespace forebay::wire {

enum class TransactionStatus : char {
  idle = 'I',
  in_transaction = 'T',
  failed = 'E',  // everything but its end is refused
};

struct ParameterStatusView {
  std::string_view name;
  std::string_view value;
};
struct NotificationView {
  std::uint32_t process = 0;  // who sent it
  std::string_view channel;
  std::string_view payload;
};
// One column of RowDescription.
struct Column {
  std::string_view name;
  std::uint32_t table = 0;  // 0: of no table
  std::int16_t place = 0;   // in that table
  std::uint32_t type = 0;
  std::int16_t type_size = 0;  // below zero: it varies
  std::int32_t type_modifier = -1;
  std::int16_t format = 0;
  friend bool operator==(const Column&, const Column&) = default;
};
struct ColumnCodec {
  using Element = Column;
  static Column take(std::string_view& from);
};
using ColumnList = ElementList<ColumnCodec>;

// CopyInResponse, CopyOutResponse and CopyBothResponse.
struct CopyView {
  std::int8_t format = 0;  // 0: lines of text; 1: binary
  FormatList column_formats;
};

Result<TransactionStatus> parse_ready_for_query(std::string_view body);
Result<ParameterStatusView> parse_parameter_status(std::string_view body);
Result<CancelKeyView> parse_backend_key_data(std::string_view body);
Result<NotificationView> parse_notification(std::string_view body);
Result<std::string_view> parse_command_complete(std::string_view body);  // "INSERT 0 1"
Result<ColumnList> parse_row_description(std::string_view body);
Result<ValueList> parse_data_row(std::string_view body);
Result<TypeList> parse_parameter_description(std::string_view body);
Result<CopyView> parse_copy_response(std::string_view body);
Result<Value> parse_function_call_response(std::string_view body);

// REQUIRES of all: no zero byte in a text.
void write_ready_for_query(std::string& out, TransactionStatus status);
void write_parameter_status(std::string& out, std::string_view name, std::string_view value);
void write_backend_key_data(std::string& out, const CancelKeyView& key);
void write_notification(std::string& out, const NotificationView& notification);
void write_command_complete(std::string& out, std::string_view tag);
void write_row_description(std::string& out, std::span<const Column> columns);
void write_data_row(std::string& out, std::span<const Value> values);
void write_parameter_description(std::string& out, std::span<const std::uint32_t> types);
// The type says which of the three.
void write_copy_response(std::string& out, ServerMessage type, std::int8_t format,
                         std::span<const std::int16_t> column_formats);
void write_function_call_response(std::string& out, const Value& value);
void write_empty(std::string& out, ServerMessage type);

}  // namespace forebay::wire
