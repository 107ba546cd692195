// Standin: Aurora DSQL's rules before a real PostgreSQL: lets clients in at its address and serves
// them.
//
// Confined to the loop of its streams, but for the constructor.
#pragma once

#include <memory>

#include "forebay/env/entrance.hpp"
#include "forebay/standin/session_flow.hpp"

namespace forebay::standin {

class Standin {
 public:
  // What it is given by reference outlives it.
  Standin(Env env, StreamNetwork& network, TlsServer& tls, Backend& backend,
          StandinOptions options);
  Standin(const Standin&) = delete;
  Standin& operator=(const Standin&) = delete;
  ~Standin();  // REQUIRES: close() has ended

  // From now on clients can call there. Errors are those of StreamNetwork::listen().
  Result<StreamAddress> listen(const StreamAddress& at);
  // Nobody is let in any more, and all sessions are cut.
  Task<void> close();

  const StandinCounters& counters() const { return counters_; }

 private:
  Task<void> serve(std::unique_ptr<ByteStream> stream);
  void command(std::string_view text);
  void drop_connections();

  Env env_;
  const StandinOptions options_;
  const StatementRules rules_;
  ServerDoor door_;
  Catalog catalog_;
  Chaos chaos_;
  const TransactionWorld world_;
  StandinCounters counters_;
  const Surroundings around_;
  IntrusiveList<SessionFlow, &SessionFlow::link> sessions_;
  Entrance entrance_;
};

}  // namespace forebay::standin
