#include "forebay/standin/session/standin_session.hpp"

#include <algorithm>
#include <vector>

#include "forebay/standin/session/dsql_errors.hpp"
#include "forebay/standin/session/failing_statement.hpp"

namespace forebay::standin {

namespace {

using wire::ClientMessage;
using wire::ServerMessage;

// No client chooses such a name, so nothing of a client's is overwritten.
constexpr std::string_view kOurName = "standin_refusal";

char type_of(ClientMessage message) { return static_cast<char>(message); }

// PostgreSQL runs it as the client wrote it, and nothing else.
bool is_plain(const StatementJudgement& statement, std::string_view text) {
  return statement.guards.empty() && statement.job_sql.empty() && statement.tag.empty() &&
         statement.begin <= text.size() && text.substr(statement.begin).starts_with(statement.sql);
}

bool has_header(const wire::Frame& frame) {
  return frame.kind == wire::Frame::Kind::whole || frame.kind == wire::Frame::Kind::first;
}

}  // namespace

StandinSession::Verdict StandinSession::from_client(const wire::Frame& frame, Instant now,
                                                    std::string& to_server) {
  if (!has_header(frame)) {
    to_server.append(frame.bytes);
    return Verdict::goes_on;
  }
  if (frame.length > kLongestMessage) return Verdict::hangs_up;
  switch (static_cast<ClientMessage>(frame.type)) {
    case ClientMessage::query: return take_query(frame, now, to_server);
    case ClientMessage::parse: return take_parse(frame, to_server);
    case ClientMessage::execute: return take_execute(frame, now, to_server);
    case ClientMessage::bind: take_bind(frame); break;
    case ClientMessage::close: take_close(frame); break;
    case ClientMessage::terminate: return Verdict::ends;
    default: break;
  }
  forward(frame, to_server);
  if (frame.type == type_of(ClientMessage::sync)) book_.end_unit(now);
  return Verdict::goes_on;
}

void StandinSession::forward(const wire::Frame& frame, std::string& to_server) {
  to_server.append(frame.bytes);
  line_.sent(frame.type);
}

// One statement of it that must fail fails all of it: none has run then.
StandinSession::Verdict StandinSession::take_query(const wire::Frame& frame, Instant now,
                                                   std::string& to_server) {
  const Result<wire::QueryView> query = wire::parse_query(frame.body);
  if (!query) {
    forward(frame, to_server);  // the server says what is wrong with it
    return Verdict::goes_on;
  }
  const Judgement judgement = rules_.judge(query->sql);
  const TransactionBook before = book_;
  for (const StatementJudgement& statement : judgement.statements) {
    const std::optional<Refusal> refusal = book_.take(statement, now);
    if (!refusal) continue;
    const bool rolls_back = judgement.statements.size() == 1 &&
                            statement.kind == StatementKind::commit && before.is_in_block();
    if (!rolls_back) book_.put_back(before);
    fail_query(*refusal, rolls_back, to_server);
    return Verdict::goes_on;
  }
  const bool is_as_sent = std::ranges::all_of(
      judgement.statements,
      [&query](const StatementJudgement& statement) { return is_plain(statement, query->sql); });
  if (is_as_sent) {
    forward(frame, to_server);
  } else {
    write_as_judged(judgement, to_server);
  }
  book_.end_unit(now);
  return Verdict::goes_on;
}

void StandinSession::write_as_judged(const Judgement& judgement, std::string& to_server) {
  std::string sql;
  AnswerPlan plan;
  for (const StatementJudgement& statement : judgement.statements) {
    for (const Guard& guard : statement.guards) {
      sql += guarding_statement(guard) + ";";
      plan.push_back({.shows_rows = false, .shows_end = false});
    }
    sql += statement.sql + ";";
    const bool has_job = !statement.job_sql.empty();
    plan.push_back({.shows_rows = !has_job && statement.tag.empty(),
                    .shows_end = !has_job,
                    .tag = statement.tag});
    if (!has_job) continue;
    sql += statement.job_sql + ";";
    plan.push_back({.takes_tag_of_hidden = true});
  }
  wire::write_query(to_server, sql);
  line_.sent(type_of(ClientMessage::query), std::move(plan));
}

// What is not one statement, the server refuses.
StandinSession::Verdict StandinSession::take_parse(const wire::Frame& frame,
                                                   std::string& to_server) {
  const Result<wire::ParseView> parse = wire::parse_parse(frame.body);
  Judgement judgement;
  if (parse) {
    judgement = rules_.judge(parse->sql);
    statements_.erase(std::string(parse->statement));
  }
  if (judgement.statements.size() != 1) {
    forward(frame, to_server);
    return Verdict::goes_on;
  }
  StatementJudgement& statement = judgement.statements.front();
  if (statement.refusal) {
    fail_extended(*statement.refusal, false, to_server);
    return Verdict::goes_on;
  }
  if (is_plain(statement, parse->sql)) {
    forward(frame, to_server);
  } else {
    // Of a statement with a job it is the job's row that the client is told of.
    const std::string& sql = statement.job_sql.empty() ? statement.sql : statement.job_sql;
    std::vector<std::uint32_t> types;
    types.reserve(parse->parameter_types.size());
    for (std::size_t i = 0; i < parse->parameter_types.size(); ++i)
      types.push_back(parse->parameter_types[i]);
    wire::write_parse(to_server, parse->statement, sql, types);
    line_.sent(frame.type);
  }
  statements_.insert_or_assign(std::string(parse->statement),
                               std::make_shared<StatementJudgement>(std::move(statement)));
  return Verdict::goes_on;
}

void StandinSession::take_bind(const wire::Frame& frame) {
  const Result<wire::BindView> bind = wire::parse_bind(frame.body);
  if (!bind) return;
  const auto statement = statements_.find(bind->statement);
  portals_.insert_or_assign(std::string(bind->portal),
                            statement == statements_.end() ? nullptr : statement->second);
}

StandinSession::Verdict StandinSession::take_execute(const wire::Frame& frame, Instant now,
                                                     std::string& to_server) {
  const Result<wire::ExecuteView> execute = wire::parse_execute(frame.body);
  const auto portal = execute ? portals_.find(execute->portal) : portals_.end();
  if (portal == portals_.end() || portal->second == nullptr) {
    forward(frame, to_server);
    return Verdict::goes_on;
  }
  const StatementJudgement& statement = *portal->second;
  const bool was_in_block = book_.is_in_block();
  if (const auto refusal = book_.take(statement, now)) {
    fail_extended(*refusal, statement.kind == StatementKind::commit && was_in_block, to_server);
    return Verdict::goes_on;
  }
  for (const Guard& guard : statement.guards)
    execute_ours(guarding_statement(guard), false, to_server);
  const bool has_job = !statement.job_sql.empty();
  if (has_job) execute_ours(statement.sql, false, to_server);
  to_server.append(frame.bytes);
  AnswerPlan plan;
  if (has_job) plan.push_back({.takes_tag_of_hidden = true});
  if (!statement.tag.empty()) plan.push_back({.shows_rows = false, .tag = statement.tag});
  line_.sent(frame.type, std::move(plan));
  return Verdict::goes_on;
}

void StandinSession::take_close(const wire::Frame& frame) {
  const Result<wire::TargetView> close = wire::parse_close(frame.body);
  if (!close) return;
  auto& names = close->target == wire::Target::statement ? statements_ : portals_;
  const auto found = names.find(close->name);
  if (found != names.end()) names.erase(found);
}

void StandinSession::fail_query(const Refusal& refusal, bool rolls_back, std::string& to_server) {
  if (rolls_back) {
    wire::write_query(to_server, "ROLLBACK");
    line_.sent_ours(type_of(ClientMessage::query));
  }
  wire::write_query(to_server, failing_statement(refusal));
  line_.sent(type_of(ClientMessage::query));
}

void StandinSession::fail_extended(const Refusal& refusal, bool rolls_back,
                                   std::string& to_server) {
  if (rolls_back) execute_ours("ROLLBACK", false, to_server);
  execute_ours(failing_statement(refusal), true, to_server);
}

void StandinSession::execute_ours(std::string_view sql, bool is_heard, std::string& to_server) {
  wire::write_close(to_server, wire::Target::statement, kOurName);
  line_.sent_ours(type_of(ClientMessage::close));
  wire::write_parse(to_server, kOurName, sql);
  line_.sent_ours(type_of(ClientMessage::parse));
  wire::BindParts bind;
  bind.portal = kOurName;
  bind.statement = kOurName;
  wire::write_bind(to_server, bind);
  line_.sent_ours(type_of(ClientMessage::bind));
  wire::write_execute(to_server, kOurName);
  if (is_heard) {
    line_.sent(type_of(ClientMessage::execute));
  } else {
    line_.sent_ours(type_of(ClientMessage::execute));
  }
  wire::write_close(to_server, wire::Target::portal, kOurName);
  line_.sent_ours(type_of(ClientMessage::close));
}

bool StandinSession::from_server(const wire::Frame& frame, std::string& to_client) {
  if (!has_header(frame)) {
    if (is_passing_) to_client.append(frame.bytes);
    return true;
  }
  return take_answer(frame, to_client);
}

bool StandinSession::take_answer(const wire::Frame& frame, std::string& to_client) {
  const auto type = static_cast<ServerMessage>(frame.type);
  if (type == ServerMessage::notice_response) {
    const Result<wire::ErrorFields> fields = wire::parse_error_fields(frame.body);
    const bool is_command = fields && fields->sqlstate() == kCommand;
    if (is_command) command_(fields->message());
    if (!is_command) to_client.append(frame.bytes);
    return true;
  }
  const AnswerLine::Ruling ruling = line_.received(frame.type, frame.body);
  is_passing_ = ruling.is_shown;
  if (type == ServerMessage::ready_for_query && line_.is_idle()) {
    const Result<wire::TransactionStatus> status = wire::parse_ready_for_query(frame.body);
    if (!status) return false;
    book_.ready(*status);
  }
  if (!is_passing_) return line_.is_in_step();
  if (type == ServerMessage::error_response) {
    const bool is_in_ddl = book_.has_ddl();
    book_.note_error();
    const Result<wire::ErrorFields> fields = wire::parse_error_fields(frame.body);
    const auto report = fields ? dsql_error(*fields, is_in_ddl, ruling.is_rewritten) : std::nullopt;
    if (report) {
      wire::write_error(to_client, *report);
      return line_.is_in_step();
    }
  }
  if (ruling.tag.empty()) {
    to_client.append(frame.bytes);
  } else {
    wire::write_command_complete(to_client, ruling.tag);
  }
  return line_.is_in_step();
}

}  // namespace forebay::standin
