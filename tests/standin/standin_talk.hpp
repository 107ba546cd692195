// A client of the stand-in and the PostgreSQL behind it, as a script: what one says, and what the
// other hears of it. Between them is a StandinSession, and nothing else.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/standin/session/standin_session.hpp"
#include "support/wire_words.hpp"

namespace forebay::standin {

// What the sessions of one stand-in share.
struct TalkCluster {
  StatementRules rules{RuleBook()};
  Catalog catalog;
  SeededRandom random{1};
  Chaos chaos{random};
  TransactionWorld world{rules.book(), catalog, chaos, true};
  std::vector<std::string> commands;
};

class StandinTalk {
 public:
  explicit StandinTalk(TalkCluster& cluster)
      : session_(cluster.rules, cluster.world,
                 [&cluster](std::string_view text) { cluster.commands.emplace_back(text); }) {}

  // What the server hears.
  std::string client(std::string_view bytes) {
    wire::FrameReader reader(
        wire::FrameOptions{.whole = kWholeFromClient, .capacity = std::size_t{64} * 1024});
    reader.expect_messages();
    FOREBAY_CHECK(forebay::test::feed(reader, bytes).empty());
    std::string out;
    std::string end;
    for (auto frame = reader.next(); frame.kind != wire::Frame::Kind::none; frame = reader.next()) {
      const auto verdict = session_.from_client(frame, now, out);
      if (verdict == StandinSession::Verdict::ends) end = "ends";
      if (verdict == StandinSession::Verdict::hangs_up) return "hangs up";
    }
    return forebay::test::words::told(wire::Sender::client, out) + end;
  }
  // What the client hears.
  std::string server(std::string_view bytes) {
    wire::FrameReader reader(wire::FrameOptions{.sender = wire::Sender::server,
                                                .whole = kWholeFromServer,
                                                .capacity = std::size_t{64} * 1024});
    FOREBAY_CHECK(forebay::test::feed(reader, bytes).empty());
    std::string out;
    for (auto frame = reader.next(); frame.kind != wire::Frame::Kind::none; frame = reader.next()) {
      if (!session_.from_server(frame, out)) return "out of step";
    }
    return forebay::test::words::told(wire::Sender::server, out);
  }
  // A simple query that goes through and is answered so.
  bool runs(std::string_view sql, std::string_view tag, char status) {
    using namespace forebay::test::words;
    return client(query(sql)) == "Query [" + std::string(sql) + "]" &&
           server(complete(tag) + ready(status)) ==
               "[" + std::string(tag) + "], Ready " + std::string(1, status);
  }
  StandinSession& session() { return session_; }

  Instant now{};

 private:
  StandinSession session_;
};

// The statement that fails so on the server, as it is told.
inline std::string fails(std::string_view sqlstate, std::string_view message,
                         std::string_view more = "") {
  return "DO $standin_refusal$ BEGIN RAISE EXCEPTION USING ERRCODE = '" + std::string(sqlstate) +
         "', MESSAGE = '" + std::string(message) + "'" + std::string(more) +
         "; END $standin_refusal$";
}
inline const std::string kDataConflict =
    fails("40001", "change conflicts with another transaction (OC000)");
inline const std::string kSchemaConflict =
    fails("40001", "schema has been updated by another transaction (OC001)");

}  // namespace forebay::standin
