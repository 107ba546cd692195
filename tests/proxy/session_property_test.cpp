// Clients that share a few servers through sessions see what each would see with a server to
// itself, whatever they send, and however far ahead of the answers they send it.
#include <deque>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "forebay/sim/postgres/model_postgres.hpp"
#include "support/session_talk.hpp"

namespace forebay::proxy {
namespace {

using namespace test::words;
using sim::ModelPostgres;
using test::TalkRoute;

rc::Gen<std::string> any_name() { return rc::gen::element<std::string>("", "a", "b", "c"); }

rc::Gen<std::string> any_sql() {
  return rc::gen::element<std::string>(
      "SELECT 1", "SELECT 2", "SELECT 3", "SELECT 1", "SELECT 1/0", "SELEC 1", "BEGIN", "COMMIT",
      "ROLLBACK", "SHOW TimeZone", "SET TimeZone TO 'CET'", "SET TimeZone TO 'UTC'",
      "SET DateStyle TO 'German'", "DEALLOCATE a", "DEALLOCATE b", "DEALLOCATE ALL", "EXECUTE a",
      "EXECUTE b", "DISCARD ALL", "LISTEN c");
}

// One unit: a Query, or extended messages and a Sync.
rc::Gen<std::string> any_unit() {
  const auto message = rc::gen::oneOf(
      rc::gen::apply(parse, any_name(), any_sql()), rc::gen::apply(parse, any_name(), any_sql()),
      rc::gen::map(any_name(), [](const std::string& name) { return run(name); }),
      rc::gen::map(any_name(), [](const std::string& name) { return run(name); }),
      rc::gen::map(any_name(),
                   [](const std::string& name) { return test::words::bind(name, name); }),
      rc::gen::map(any_name(),
                   [](const std::string& name) { return describe(wire::Target::statement, name); }),
      rc::gen::map(any_name(),
                   [](const std::string& name) { return close(wire::Target::statement, name); }),
      rc::gen::map(any_name(),
                   [](const std::string& name) { return close(wire::Target::portal, name); }),
      rc::gen::just(execute()), rc::gen::just(flush()));
  const auto extended =
      rc::gen::map(rc::gen::resize(8, rc::gen::container<std::vector<std::string>>(message)),
                   [](const std::vector<std::string>& all) {
                     std::string unit;
                     for (const std::string& one : all) unit += one;
                     return unit + sync();
                   });
  return rc::gen::oneOf(rc::gen::map(any_sql(), [](const std::string& sql) { return query(sql); }),
                        extended, extended);
}

std::vector<std::string> messages_of(std::string_view bytes) {
  std::vector<std::string> all;
  while (!bytes.empty()) {
    const std::size_t size = 1 + wire::read_uint32(bytes, 1);
    all.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return all;
}

wire::Frame whole_frame(const std::string& message) {
  wire::Frame frame{.kind = wire::Frame::Kind::whole, .type = message[0]};
  frame.bytes = message;
  frame.body = frame.bytes.substr(5);
  frame.length = static_cast<std::uint32_t>(frame.body.size());
  return frame;
}

// A model of a server behind the proxy, and the proxy's picture of it.
struct SharedServer {
  SharedServer() : model(test::usual_parameters()) { picture.begin(test::usual_parameters()); }

  // What the link does between two clients.
  void clear() {
    if (picture.leftovers.empty()) return;
    if (picture.answers.transaction() != wire::TransactionStatus::idle)
      model.receive(query("ROLLBACK"));
    static_cast<void>(model.receive(query("DISCARD ALL")));
    picture.reported = picture.defaults;
    picture.cleared({wire::Leftover::everything});
    picture.unnamed_there = 0;
  }

  ModelPostgres model;
  ServerPicture picture;
  std::deque<std::string> answers;
  bool is_taken = false;
};

// One client, once with a server to itself and once through the proxy.
struct TwinClient {
  TwinClient(TalkRoute& route, std::vector<std::string> script)
      : session(route.shared, test::client_start({{"user", "u"}})), to_send(std::move(script)) {
    Output out;
    RC_ASSERT(session.begin(test::usual_parameters(), out) == Verdict::done);
  }

  ClientSession session;
  std::vector<std::string> to_send;  // messages
  std::size_t sent = 0;
  SharedServer* server = nullptr;
  std::string heard;
  bool is_owed_ready = false;
};

class SharedWorld {
 public:
  SharedWorld(TalkRoute& route, const std::vector<std::vector<std::string>>& scripts, int servers,
              bool is_polite)
      : servers_(static_cast<std::size_t>(servers)), is_polite_(is_polite) {
    for (const auto& script : scripts) {
      std::string all;
      for (const std::string& unit : script) all += unit;
      clients_.push_back(std::make_unique<TwinClient>(route, messages_of(all)));
    }
  }

  // Each choice moves something. Then everything runs to its end.
  void run(const std::vector<int>& choices) {
    for (const int choice : choices) step(static_cast<std::size_t>(choice));
    for (std::size_t turn = 0, idle = 0; idle < 4 * clients_.size(); ++turn)
      idle = step(turn) ? 0 : idle + 1;
  }

  const TwinClient& client(std::size_t place) const { return *clients_[place]; }

 private:
  bool step(std::size_t choice) {
    TwinClient& client = *clients_[choice / 2 % clients_.size()];
    const bool has_moved = choice % 2 == 0 ? hear(client) : send(client);
    // A pinned client that has nothing more to say goes, or others would wait for ever.
    const bool is_over = client.sent == client.to_send.size() && client.server != nullptr &&
                         client.server->answers.empty();
    if (client.session.may_release() || is_over) release(client);
    return has_moved;
  }

  void release(TwinClient& client) {
    client.session.release();
    client.server->clear();
    client.server->is_taken = false;
    client.server = nullptr;
  }

  bool send(TwinClient& client) {
    if (client.sent == client.to_send.size()) return false;
    if (client.server != nullptr && !client.session.is_fitted()) return false;
    if (is_polite_ && client.is_owed_ready) return false;
    Output out;
    const wire::Frame frame = whole_frame(client.to_send[client.sent]);
    const Verdict verdict = client.session.from_client(frame, out);
    RC_ASSERT(verdict != Verdict::end);
    if (verdict == Verdict::acquire) return attach(client);
    if (verdict == Verdict::forward) out.to_server += frame.bytes;
    ++client.sent;
    client.is_owed_ready = frame.type == 'S' || frame.type == 'Q';
    deliver(client, out);
    return true;
  }

  bool attach(TwinClient& client) {
    for (SharedServer& server : servers_) {
      if (server.is_taken) continue;
      server.is_taken = true;
      client.server = &server;
      Output out;
      client.session.attach(server.picture, out);
      deliver(client, out);
      return true;
    }
    return false;
  }

  bool hear(TwinClient& client) {
    if (client.server == nullptr || client.server->answers.empty()) return false;
    const std::string message = std::move(client.server->answers.front());
    client.server->answers.pop_front();
    Output out;
    const Verdict verdict = client.session.from_server(whole_frame(message), out);
    RC_ASSERT(verdict == Verdict::forward || verdict == Verdict::done);
    if (verdict == Verdict::forward) out.to_client += message;
    deliver(client, out);
    return true;
  }

  static void deliver(TwinClient& client, const Output& out) {
    client.heard += out.to_client;
    for (const std::string& message : messages_of(out.to_client))
      if (message[0] == 'Z') client.is_owed_ready = false;
    if (out.to_server.empty()) return;
    for (std::string& answer : messages_of(client.server->model.receive(out.to_server)))
      client.server->answers.push_back(std::move(answer));
  }

  std::vector<SharedServer> servers_;
  std::vector<std::unique_ptr<TwinClient>> clients_;
  const bool is_polite_;  // clients wait for ReadyForQuery after each Sync and Query
};

using Scripts = std::vector<std::vector<std::string>>;

Scripts any_scripts() {
  return *rc::gen::resize(
      10, rc::gen::container<Scripts>(3, rc::gen::container<std::vector<std::string>>(any_unit())));
}
std::vector<int> any_choices() {
  return *rc::gen::resize(300, rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000)));
}
std::string all_of(const std::vector<std::string>& script) {
  std::string all;
  for (const std::string& unit : script) all += unit;
  return all;
}

RC_GTEST_PROP(SessionProperty, AClientSeesWhatItWouldSeeWithAServerToItself, ()) {
  const Scripts scripts = any_scripts();
  TalkRoute route;
  route.rules.most_statements = static_cast<std::size_t>(*rc::gen::inRange(1, 4));
  SharedWorld world(route, scripts, *rc::gen::inRange(1, 4), true);

  world.run(any_choices());

  for (std::size_t place = 0; place < scripts.size(); ++place) {
    const std::string all = all_of(scripts[place]);
    ModelPostgres own(test::usual_parameters());
    const std::string expected = told(wire::Sender::server, own.receive(all));
    const TwinClient& client = world.client(place);
    RC_ASSERT(client.sent == client.to_send.size());
    RC_LOG() << told(wire::Sender::client, all) << "\n";
    RC_ASSERT(told(wire::Sender::server, client.heard) == expected);
  }
}

// What was sent ahead of a failed Parse was taken for what it would have meant after a good one, so
// words may differ; but each Sync and each Query is answered once, and nobody is thrown out.
RC_GTEST_PROP(SessionProperty, HoweverFarAheadAClientSendsEverySyncIsAnswered, ()) {
  const Scripts scripts = any_scripts();
  TalkRoute route;
  route.rules.most_statements = static_cast<std::size_t>(*rc::gen::inRange(1, 4));
  SharedWorld world(route, scripts, *rc::gen::inRange(1, 4), false);

  world.run(any_choices());

  for (std::size_t place = 0; place < scripts.size(); ++place) {
    const TwinClient& client = world.client(place);
    RC_ASSERT(client.sent == client.to_send.size());
    std::size_t ready_count = 0;
    for (const std::string& message : messages_of(client.heard))
      if (message[0] == 'Z') ++ready_count;
    RC_ASSERT(ready_count == scripts[place].size());
  }
}

}  // namespace
}  // namespace forebay::proxy
