#include "forebay/wire/protocol/server_messages.hpp"

#include "forebay/detail/base/check.hpp"
#include "forebay/wire/protocol/body_reader.hpp"
#include "forebay/wire/protocol/message_writer.hpp"

namespace forebay::wire {
namespace {

constexpr std::size_t kColumnNumbers = 18;  // bytes after a column's name

}  // namespace

Column ColumnCodec::take(std::string_view& from) {
  Column column;
  column.name = take_text(from);
  column.table = read_uint32(from);
  column.place = static_cast<std::int16_t>(read_uint16(from, 4));
  column.type = read_uint32(from, 6);
  column.type_size = static_cast<std::int16_t>(read_uint16(from, 10));
  column.type_modifier = static_cast<std::int32_t>(read_uint32(from, 12));
  column.format = static_cast<std::int16_t>(read_uint16(from, 16));
  from.remove_prefix(kColumnNumbers);
  return column;
}

Result<TransactionStatus> parse_ready_for_query(std::string_view body) {
  BodyReader reader("ReadyForQuery", body);
  const auto status = static_cast<TransactionStatus>(reader.take_byte());
  reader.require(status == TransactionStatus::idle || status == TransactionStatus::in_transaction ||
                     status == TransactionStatus::failed,
                 "there is no such transaction status");
  return reader.finish(status);
}

Result<ParameterStatusView> parse_parameter_status(std::string_view body) {
  BodyReader reader("ParameterStatus", body);
  ParameterStatusView view;
  view.name = reader.take_text();
  view.value = reader.take_text();
  return reader.finish(view);
}

Result<CancelKeyView> parse_backend_key_data(std::string_view body) {
  BodyReader reader("BackendKeyData", body);
  CancelKeyView view;
  view.process = reader.take_uint32();
  view.key = reader.take_rest();
  reader.require(view.key.size() >= kShortestCancelKey && view.key.size() <= kLongestCancelKey,
                 "its key does not have 4 to 256 bytes");
  return reader.finish(view);
}

Result<NotificationView> parse_notification(std::string_view body) {
  BodyReader reader("NotificationResponse", body);
  NotificationView view;
  view.process = reader.take_uint32();
  view.channel = reader.take_text();
  view.payload = reader.take_text();
  return reader.finish(view);
}

Result<std::string_view> parse_command_complete(std::string_view body) {
  BodyReader reader("CommandComplete", body);
  const std::string_view tag = reader.take_text();
  return reader.finish(tag);
}

Result<ColumnList> parse_row_description(std::string_view body) {
  BodyReader reader("RowDescription", body);
  const std::uint16_t count = reader.take_uint16();
  const std::string_view all = reader.rest();
  for (std::uint16_t place = 0; place < count && reader.is_sound(); ++place) {
    reader.take_text();
    reader.take_bytes(kColumnNumbers);
  }
  const std::size_t size = reader.is_sound() ? all.size() - reader.rest().size() : 0;
  return reader.finish(ColumnList(count, all.substr(0, size)));
}

Result<ValueList> parse_data_row(std::string_view body) {
  BodyReader reader("DataRow", body);
  const ValueList values = reader.take_values();
  return reader.finish(values);
}

Result<TypeList> parse_parameter_description(std::string_view body) {
  BodyReader reader("ParameterDescription", body);
  const auto types = reader.take_numbers<std::uint32_t>();
  return reader.finish(types);
}

Result<CopyView> parse_copy_response(std::string_view body) {
  BodyReader reader("CopyResponse", body);
  CopyView view;
  view.format = static_cast<std::int8_t>(reader.take_byte());
  view.column_formats = reader.take_numbers<std::int16_t>();
  return reader.finish(view);
}

Result<Value> parse_function_call_response(std::string_view body) {
  BodyReader reader("FunctionCallResponse", body);
  const Value value = reader.take_value();
  return reader.finish(value);
}

void write_ready_for_query(std::string& out, TransactionStatus status) {
  MessageWriter(out, ServerMessage::ready_for_query).byte(static_cast<char>(status));
}

void write_parameter_status(std::string& out, std::string_view name, std::string_view value) {
  MessageWriter(out, ServerMessage::parameter_status).text(name).text(value);
}

void write_backend_key_data(std::string& out, const CancelKeyView& key) {
  FOREBAY_CHECK(key.key.size() >= kShortestCancelKey && key.key.size() <= kLongestCancelKey);
  MessageWriter(out, ServerMessage::backend_key_data).uint32(key.process).bytes(key.key);
}

void write_notification(std::string& out, const NotificationView& notification) {
  MessageWriter message(out, ServerMessage::notification_response);
  message.uint32(notification.process).text(notification.channel).text(notification.payload);
}

void write_command_complete(std::string& out, std::string_view tag) {
  MessageWriter(out, ServerMessage::command_complete).text(tag);
}

void write_row_description(std::string& out, std::span<const Column> columns) {
  FOREBAY_CHECK(columns.size() <= 0xffff);
  MessageWriter message(out, ServerMessage::row_description);
  message.uint16(static_cast<std::uint16_t>(columns.size()));
  for (const Column& column : columns) {
    message.text(column.name).uint32(column.table);
    message.uint16(static_cast<std::uint16_t>(column.place)).uint32(column.type);
    message.uint16(static_cast<std::uint16_t>(column.type_size));
    message.uint32(static_cast<std::uint32_t>(column.type_modifier));
    message.uint16(static_cast<std::uint16_t>(column.format));
  }
}

void write_data_row(std::string& out, std::span<const Value> values) {
  MessageWriter(out, ServerMessage::data_row).values(values);
}

void write_parameter_description(std::string& out, std::span<const std::uint32_t> types) {
  MessageWriter(out, ServerMessage::parameter_description).types(types);
}

void write_copy_response(std::string& out, ServerMessage type, std::int8_t format,
                         std::span<const std::int16_t> column_formats) {
  FOREBAY_CHECK(type == ServerMessage::copy_in_response ||
                type == ServerMessage::copy_out_response ||
                type == ServerMessage::copy_both_response);
  MessageWriter(out, type).byte(static_cast<char>(format)).formats(column_formats);
}

void write_function_call_response(std::string& out, const Value& value) {
  MessageWriter(out, ServerMessage::function_call_response).value(value);
}

void write_empty(std::string& out, ServerMessage type) { MessageWriter(out, type); }

}  // namespace forebay::wire
