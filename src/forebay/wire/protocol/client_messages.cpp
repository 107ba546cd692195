#include "forebay/wire/protocol/client_messages.hpp"

#include "forebay/wire/protocol/body_reader.hpp"
#include "forebay/wire/protocol/message_writer.hpp"

namespace forebay::wire {
namespace {

Result<TargetView> parse_target(std::string_view name, std::string_view body) {
  BodyReader reader(name, body);
  TargetView view;
  view.target = static_cast<Target>(reader.take_byte());
  view.name = reader.take_text();
  reader.require(view.target == Target::statement || view.target == Target::portal,
                 "it is neither about a statement nor about a portal");
  return reader.finish(view);
}

}  // namespace

Result<QueryView> parse_query(std::string_view body) {
  BodyReader reader("Query", body);
  QueryView view{reader.take_text()};
  return reader.finish(view);
}

Result<ParseView> parse_parse(std::string_view body) {
  BodyReader reader("Parse", body);
  ParseView view;
  view.statement = reader.take_text();
  view.sql = reader.take_text();
  view.parameter_types = reader.take_numbers<std::uint32_t>();
  return reader.finish(view);
}

Result<BindView> parse_bind(std::string_view body) {
  BodyReader reader("Bind", body);
  BindView view;
  view.portal = reader.take_text();
  view.statement = reader.take_text();
  view.parameter_formats = reader.take_numbers<std::int16_t>();
  view.parameters = reader.take_values();
  view.result_formats = reader.take_numbers<std::int16_t>();
  return reader.finish(view);
}

Result<TargetView> parse_describe(std::string_view body) { return parse_target("Describe", body); }

Result<TargetView> parse_close(std::string_view body) { return parse_target("Close", body); }

Result<ExecuteView> parse_execute(std::string_view body) {
  BodyReader reader("Execute", body);
  ExecuteView view;
  view.portal = reader.take_text();
  view.most_rows = reader.take_uint32();
  return reader.finish(view);
}

Result<CopyFailView> parse_copy_fail(std::string_view body) {
  BodyReader reader("CopyFail", body);
  CopyFailView view{reader.take_text()};
  return reader.finish(view);
}

Result<FunctionCallView> parse_function_call(std::string_view body) {
  BodyReader reader("FunctionCall", body);
  FunctionCallView view;
  view.function = reader.take_uint32();
  view.argument_formats = reader.take_numbers<std::int16_t>();
  view.arguments = reader.take_values();
  view.result_format = static_cast<std::int16_t>(reader.take_uint16());
  return reader.finish(view);
}

Result<std::string_view> parse_password(std::string_view body) {
  BodyReader reader("PasswordMessage", body);
  const std::string_view password = reader.take_text();
  return reader.finish(password);
}

Result<SaslInitialView> parse_sasl_initial(std::string_view body) {
  BodyReader reader("SASLInitialResponse", body);
  SaslInitialView view;
  view.mechanism = reader.take_text();
  view.data = reader.take_value();
  return reader.finish(view);
}

Result<void> parse_empty(Sender sender, char type, std::string_view body) {
  BodyReader reader(message_name(sender, type), body);
  const Result<bool> empty = reader.finish(true);
  if (!empty) return failure(empty.error());
  return {};
}

std::optional<std::string_view> leading_name(std::string_view body) {
  const std::size_t size = body.find('\0');
  if (size == std::string_view::npos) return std::nullopt;
  return body.substr(0, size);
}

void write_query(std::string& out, std::string_view sql) {
  MessageWriter(out, ClientMessage::query).text(sql);
}

void write_parse(std::string& out, std::string_view statement, std::string_view sql,
                 std::span<const std::uint32_t> parameter_types) {
  MessageWriter(out, ClientMessage::parse).text(statement).text(sql).types(parameter_types);
}

void write_bind(std::string& out, const BindParts& bind) {
  MessageWriter message(out, ClientMessage::bind);
  message.text(bind.portal).text(bind.statement).formats(bind.parameter_formats);
  message.values(bind.parameters).formats(bind.result_formats);
}

void write_describe(std::string& out, Target target, std::string_view name) {
  MessageWriter(out, ClientMessage::describe).byte(static_cast<char>(target)).text(name);
}

void write_close(std::string& out, Target target, std::string_view name) {
  MessageWriter(out, ClientMessage::close).byte(static_cast<char>(target)).text(name);
}

void write_execute(std::string& out, std::string_view portal, std::uint32_t most_rows) {
  MessageWriter(out, ClientMessage::execute).text(portal).uint32(most_rows);
}

void write_copy_data(std::string& out, std::string_view data) {
  MessageWriter(out, ClientMessage::copy_data).bytes(data);
}

void write_copy_done(std::string& out) { MessageWriter(out, ClientMessage::copy_done); }

void write_copy_fail(std::string& out, std::string_view reason) {
  MessageWriter(out, ClientMessage::copy_fail).text(reason);
}

void write_function_call(std::string& out, const FunctionCallParts& call) {
  MessageWriter message(out, ClientMessage::function_call);
  message.uint32(call.function).formats(call.argument_formats).values(call.arguments);
  message.uint16(static_cast<std::uint16_t>(call.result_format));
}

void write_password(std::string& out, std::string_view password) {
  MessageWriter(out, ClientMessage::password).text(password);
}

void write_sasl_initial(std::string& out, std::string_view mechanism, std::string_view data) {
  MessageWriter(out, ClientMessage::password).text(mechanism).value(data);
}

void write_sasl_response(std::string& out, std::string_view data) {
  MessageWriter(out, ClientMessage::password).bytes(data);
}

void write_sync(std::string& out) { MessageWriter(out, ClientMessage::sync); }
void write_flush(std::string& out) { MessageWriter(out, ClientMessage::flush); }
void write_terminate(std::string& out) { MessageWriter(out, ClientMessage::terminate); }

}  // namespace forebay::wire
