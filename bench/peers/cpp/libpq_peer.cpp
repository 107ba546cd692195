// Bare libpq: threads share connections by a mutex and a condition variable, as one would write it
// in ten minutes. Everything is prepared once; a batch is a pipeline, one transaction by itself.
#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <libpq-fe.h>

#include "peer.hpp"

namespace peers {
namespace {

class Free {
 public:
  void put(PGconn* connection) {
    {
      const std::lock_guard lock(mutex_);
      connections_.push_back(connection);
    }
    is_there_.notify_one();
  }
  PGconn* take() {
    std::unique_lock lock(mutex_);
    is_there_.wait(lock, [this] { return !connections_.empty(); });
    PGconn* taken = connections_.back();
    connections_.pop_back();
    return taken;
  }

 private:
  std::mutex mutex_;
  std::condition_variable is_there_;
  std::vector<PGconn*> connections_;
};

// What the server answered, read as the others read it.
void take_answer(PGconn* connection, PGresult* answer) {
  const ExecStatusType status = PQresultStatus(answer);
  if (status == PGRES_TUPLES_OK) {
    const std::string value = PQgetvalue(answer, 0, 0);
    if (value.empty()) give_up("an empty value");
  } else if (status != PGRES_COMMAND_OK && status != PGRES_PIPELINE_SYNC) {
    give_up(PQerrorMessage(connection));
  }
  PQclear(answer);
}

// The values of a prepared statement: an id, and a new name if there is one.
struct Values {
  explicit Values(int id) : text(std::to_string(id)), pointers{text.c_str(), "name"} {}
  std::string text;
  std::array<const char*, 2> pointers;
};

void ask(PGconn* connection, const char* name, int count, int id) {
  const Values values(id);
  take_answer(connection,
              PQexecPrepared(connection, name, count, values.pointers.data(), nullptr, nullptr, 0));
}

void send(PGconn* connection, const char* name, int count, int id) {
  const Values values(id);
  if (PQsendQueryPrepared(connection, name, count, values.pointers.data(), nullptr, nullptr, 0) ==
      0)
    give_up(PQerrorMessage(connection));
}

void transaction(PGconn* connection, Caller& caller) {
  take_answer(connection, PQexec(connection, "BEGIN"));
  ask(connection, "row", 1, caller.next_id());
  ask(connection, "change", 2, caller.next_id());
  ask(connection, "change", 2, caller.next_id());
  take_answer(connection, PQexec(connection, "COMMIT"));
}

void pipeline(PGconn* connection, Caller& caller) {
  PQenterPipelineMode(connection);
  send(connection, "row", 1, caller.next_id());
  send(connection, "change", 2, caller.next_id());
  send(connection, "change", 2, caller.next_id());
  PQpipelineSync(connection);
  for (int i = 0; i < 3; ++i) {
    take_answer(connection, PQgetResult(connection));
    PQclear(PQgetResult(connection));  // the end of its answers
  }
  take_answer(connection, PQgetResult(connection));
  PQexitPipelineMode(connection);
}

class LibpqPeer final : public Peer {
 public:
  explicit LibpqPeer(const Request& request) : work_(request.work) {
    for (int i = 0; i < request.connections; ++i) {
      PGconn* connection = PQconnectdb(request.target().c_str());
      if (PQstatus(connection) != CONNECTION_OK) give_up(PQerrorMessage(connection));
      take_answer(connection, PQprepare(connection, "one", kOne, 0, nullptr));
      take_answer(connection, PQprepare(connection, "row", kRow, 0, nullptr));
      take_answer(connection, PQprepare(connection, "change", kChange, 0, nullptr));
      all_.push_back(connection);
      free_.put(connection);
    }
  }
  ~LibpqPeer() override {
    for (PGconn* connection : all_) PQfinish(connection);
  }

  void serve(std::vector<Caller>& callers) override {
    std::vector<std::thread> threads;
    for (Caller& caller : callers) threads.emplace_back([&] { repeat(caller); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  void repeat(Caller& caller) {
    while (caller.goes_on()) {
      PGconn* connection = free_.take();
      if (work_ == Work::select1) ask(connection, "one", 0, 0);
      if (work_ == Work::row) ask(connection, "row", 1, caller.next_id());
      if (work_ == Work::transaction) transaction(connection, caller);
      if (work_ == Work::batch) pipeline(connection, caller);
      free_.put(connection);
      caller.done();
    }
  }

  const Work work_;
  std::vector<PGconn*> all_;
  Free free_;
};

}  // namespace

std::unique_ptr<Peer> open_libpq(const Request& request) {
  return std::make_unique<LibpqPeer>(request);
}

}  // namespace peers
