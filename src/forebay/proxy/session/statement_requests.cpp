// Prepared statements: Parse, Bind and Describe are about the client's names; the server has them
// under ours, if it has them.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "forebay/proxy/session/client_session.hpp"
#include "forebay/proxy/session/statement_texts.hpp"
#include "forebay/wire/protocol/bytes.hpp"
#include "forebay/wire/protocol/message_writer.hpp"
#include "forebay/wire/protocol/violation.hpp"

namespace forebay::proxy {

using wire::ClientMessage;
using wire::Frame;
using State = ServerStatements::State;

namespace {

// Names have fewer than 64 letters; nobody waits for more than this.
constexpr std::size_t kLongestBindNames = std::size_t{64} * 1024;
constexpr std::string_view kOurNames = "forebay_";
// A statement that can be prepared in a failed transaction, too, and has no parameters.
constexpr std::string_view kAlwaysParsed("ROLLBACK\0\0\0", 11);

}  // namespace

// Something goes to the server, and this is who hears of the answer.
Expected& ClientSession::expect(char type, Whose whose) {
  server_->answers.sent(type);
  if (type == 'S' || type == 'Q') ++server_->unit;
  return queue_.push({.type = type, .whose = whose});
}

Verdict ClientSession::on_parse(const Frame& frame, Output& out) {
  const Result<wire::ParseView> view = wire::parse_parse(frame.body);
  if (!view) return violation(view.error(), out);
  if (server_ == nullptr) return want_server(frame);
  const UnnamedStatement& last = statements_.unnamed();
  const bool is_again = view->statement.empty() && last.exists && last.body == frame.body.substr(1);
  const wire::StatementReading reading = is_again ? last.reading : shared_.texts.read(view->sql);
  if (try_refuse('P', pins_of(reading), out)) return Verdict::done;
  if (!view->statement.empty()) return parse_named(frame, *view, reading, out);

  statements_.define_unnamed(frame.body.substr(1), reading, shared_.texts.next_serial());
  server_->unnamed_there = statements_.unnamed().id;
  Expected& expected = expect('P', Whose::client);
  expected.has_change = true;
  expected.is_unnamed = true;
  return Verdict::forward;
}

Verdict ClientSession::parse_named(const Frame& frame, const wire::ParseView& view,
                                   const wire::StatementReading& reading, Output& out) {
  if (statements_.find(view.statement) != nullptr) {
    // The server says that there is one already, in its own words.
    bring_under_own_name(view.statement, kAlwaysParsed, Whose::swallowed, out);
    expect('P', Whose::client);
    return Verdict::forward;
  }
  const std::string_view body = frame.body.substr(view.statement.size() + 1);
  const StatementRef statement = shared_.texts.intern(body, reading);
  statements_.define(view.statement, statement);
  const ServerStatements::Entry* const there = server_->statements.find(statement->id());
  // One that was sent before the last Sync may have failed, and this one must then fail, too.
  const bool is_there =
      there != nullptr && (there->state == State::there ||
                           (there->state == State::sent && there->parsed == server_->unit));
  if (is_there) {
    server_->statements.use(statement, server_->unit);
    ++shared_.counters.parses_answered;
    queue_.push({.type = 'P',
                 .whose = Whose::ours,
                 .has_change = true,
                 .is_transaction_exit = reading.is_transaction_exit});
    say_ours(out);
    return Verdict::done;
  }
  parse_on_server(statement, Whose::client, out);
  queue_.back().has_change = true;
  return Verdict::done;
}

// Under a name of ours.
void ClientSession::parse_on_server(const StatementRef& statement, Whose whose, Output& out) {
  const bool is_known = server_->statements.find(statement->id()) != nullptr;
  const std::string name = server_name(statement->id());
  if (is_known) {
    wire::write_close(out.to_server, wire::Target::statement, name);
    expect('C', Whose::swallowed);
  } else {
    make_room(out);
  }
  ServerStatements::Entry& entry = server_->statements.use(statement, server_->unit);
  entry.state = State::sent;
  entry.parsed = server_->unit;
  send_parse(name, statement->body(), out);
  expect('P', whose).what = statement->id();
}

void ClientSession::make_room(Output& out) {
  if (server_->statements.size() < shared_.rules.most_statements) return;
  ServerStatements::Entry* const oldest = server_->statements.oldest(server_->unit);
  if (oldest == nullptr) return;
  ++shared_.counters.statements_closed;
  oldest->state = State::closing;
  const std::uint64_t id = oldest->statement->id();
  wire::write_close(out.to_server, wire::Target::statement, server_name(id));
  expect('C', Whose::swallowed).what = id;
}

void ClientSession::send_parse(std::string_view name, std::string_view body, Output& out) {
  wire::MessageWriter(out.to_server, ClientMessage::parse).text(name).bytes(body);
}

// Bind and Describe need it. If its Parse is on its way that will do: should it fail, they do.
void ClientSession::bring_statement(const StatementRef& statement, Output& out) {
  const ServerStatements::Entry* const there = server_->statements.find(statement->id());
  if (there != nullptr && (there->state == State::there || there->state == State::sent)) {
    server_->statements.use(statement, server_->unit);
    return;
  }
  ++shared_.counters.parses_added;
  parse_on_server(statement, Whose::swallowed, out);
}

void ClientSession::bring_unnamed(Output& out) {
  const UnnamedStatement& unnamed = statements_.unnamed();
  if (!unnamed.exists) {
    // Another one must not be taken for it.
    if (server_->unnamed_there == 0) return;
    wire::write_close(out.to_server, wire::Target::statement, "");
    expect('C', Whose::swallowed).is_unnamed = true;
    server_->unnamed_there = 0;
    return;
  }
  if (server_->unnamed_there == unnamed.id) return;
  ++shared_.counters.parses_added;
  send_parse("", unnamed.body, out);
  expect('P', Whose::swallowed).is_unnamed = true;
  server_->unnamed_there = unnamed.id;
}

// The server may have a statement under this name of the client's.
bool ClientSession::is_borrowed(std::string_view name) const {
  return std::ranges::find(server_->borrowed_names, name) != server_->borrowed_names.end();
}

// The client has no statement of that name, and must hear so from the server.
void ClientSession::bring_absence(std::string_view name, Output& out) {
  if (!is_borrowed(name)) return;
  wire::write_close(out.to_server, wire::Target::statement, name);
  expect('C', Whose::swallowed);
}

// For what only works with the client's own name: EXECUTE, DEALLOCATE, the error about a name that
// is taken.
void ClientSession::bring_under_own_name(std::string_view name, std::string_view body, Whose whose,
                                         Output& out) {
  wire::write_close(out.to_server, wire::Target::statement, name);
  expect('C', whose);
  send_parse(name, body, out);
  expect('P', whose);
  std::vector<std::string>& borrowed = server_->borrowed_names;
  if (std::ranges::find(borrowed, name) == borrowed.end()) borrowed.emplace_back(name);
  server_->leftovers.add(wire::Leftover::prepared);
}

Verdict ClientSession::on_describe(const Frame& frame, Output& out) {
  const Result<wire::TargetView> describe = wire::parse_describe(frame.body);
  if (!describe) return violation(describe.error(), out);
  if (server_ == nullptr) return want_server(frame);
  if (describe->target == wire::Target::portal) {
    expect('D', Whose::client);
    return Verdict::forward;
  }
  const ServersName name = name_on_server(describe->name, out);
  expect_about('D', describe->name, name);
  if (name.text.empty()) return Verdict::forward;
  wire::write_describe(out.to_server, wire::Target::statement, name.text);
  return Verdict::done;
}

// What the server calls this statement of the client, which it has after that.
ClientSession::ServersName ClientSession::name_on_server(std::string_view name, Output& out) {
  if (name.empty()) {
    bring_unnamed(out);
    return {};
  }
  if (const StatementRef* const found = statements_.find(name)) {
    const StatementRef statement = *found;
    bring_statement(statement, out);
    const std::uint64_t id = statement->id();
    const bool is_there = server_->statements.find(id)->state == State::there;
    return {.text = server_name(id), .id = id, .is_certain = is_there};
  }
  bring_absence(name, out);
  // One of our names in the mouth of a client is not ours.
  if (!name.starts_with(kOurNames)) return {};
  return {.text = std::string(name) + " of the client", .id = 0};
}

void ClientSession::expect_about(char type, std::string_view name, const ServersName& there) {
  Expected& expected = expect(type, Whose::client);
  expected.what = there.id;
  if (!there.is_certain) expected.name = name;
}

Verdict ClientSession::on_bind(const Frame& frame, Output& out) {
  if (server_ == nullptr) return want_server(frame);
  const bool is_whole = frame.kind == Frame::Kind::whole;
  const Verdict verdict = write_bind_head(frame.body, frame.length, out);
  if (verdict == Verdict::end) return verdict;
  if (rest_ == Rest::bind_head) {
    if (is_whole)
      return violation(wire::violation("malformed message Bind: a text has no end"), out);
    held_ = frame.body;
    return Verdict::done;
  }
  if (is_whole) rest_ = Rest::none;
  return verdict;
}

// The head is the beginning of the body, of which `length` bytes come in all.
Verdict ClientSession::write_bind_head(std::string_view head, std::uint32_t length, Output& out) {
  rest_ = Rest::bind_head;
  const std::optional<std::string_view> portal = wire::leading_name(head);
  const std::optional<std::string_view> name =
      portal ? wire::leading_name(head.substr(portal->size() + 1)) : std::nullopt;
  if (!name) {
    if (head.size() < kLongestBindNames) return Verdict::done;
    return violation(wire::violation("malformed message Bind: its names are too long"), out);
  }
  const ServersName there = name_on_server(*name, out);
  if (const wire::StatementReading* const reading = reading_of(*name))
    mark_bound(*portal, *reading, out);
  expect_about('B', *name, there);
  const std::string_view text = there.text.empty() ? *name : std::string_view(there.text);
  const std::size_t rest = portal->size() + 1 + name->size() + 1;
  const std::size_t all = length - name->size() + text.size();
  out.to_server += 'B';
  std::array<char, 4> size{};
  wire::write_uint32(size.data(), static_cast<std::uint32_t>(all + size.size()));
  out.to_server.append(size.data(), size.size());
  out.to_server.append(*portal).push_back('\0');
  out.to_server.append(text).push_back('\0');
  out.to_server.append(head.substr(rest));
  rest_ = Rest::forward;
  return Verdict::done;
}

const wire::StatementReading* ClientSession::reading_of(std::string_view name) const {
  if (name.empty()) {
    const UnnamedStatement& unnamed = statements_.unnamed();
    return unnamed.exists ? &unnamed.reading : nullptr;
  }
  const StatementRef* const found = statements_.find(name);
  return found != nullptr ? &(*found)->reading() : nullptr;
}

}  // namespace forebay::proxy
