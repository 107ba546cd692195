// What every peer of this program has: a request, callers that repeat a piece of work, and a pool.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace peers {

using Clock = std::chrono::steady_clock;

enum class Work { select1, row, transaction, batch };

struct Request {
  std::string peer;
  std::string socket;
  std::string port;
  Work work = Work::select1;
  int callers = 8;
  int connections = 8;
  double seconds = 3;
  double warm_up = 1;

  std::string target() const {
    return "host=" + socket + " port=" + port + " user=peer dbname=postgres sslmode=disable";
  }
};

inline constexpr const char* kOne = "SELECT 1";
inline constexpr const char* kRow = "SELECT name FROM account WHERE id = $1";
inline constexpr const char* kChange = "UPDATE account SET name = $2 WHERE id = $1";

[[noreturn]] inline void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

// Cycles count that begin and end within it; what comes before warms up.
struct Window {
  Clock::time_point start;
  Clock::time_point end;
};

// One of those who repeat a cycle: acquire, work, give back.
class Caller {
 public:
  Caller(Window window, int number) : window_(window), first_id_(number * kIds) {}

  bool goes_on() {
    begun_ = Clock::now();
    return begun_ < window_.end;
  }
  void done() {
    const auto now = Clock::now();
    if (begun_ >= window_.start && now <= window_.end)
      cycles_.push_back(std::chrono::duration<double, std::milli>(now - begun_).count());
  }
  // No two callers touch the same rows: what is measured is no lock of the server.
  int next_id() { return first_id_ + (last_id_ = last_id_ % kIds + 1); }
  const std::vector<double>& cycles() const { return cycles_; }  // milliseconds

 private:
  static constexpr int kIds = 300;
  Window window_;
  int first_id_;
  int last_id_ = 0;
  Clock::time_point begun_;
  std::vector<double> cycles_;
};

class Peer {
 public:
  Peer() = default;
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  virtual ~Peer() = default;
  // Returns when all of them are through.
  virtual void serve(std::vector<Caller>& callers) = 0;
};

// Their connections are open when these return.
std::unique_ptr<Peer> open_libpq(const Request& request);
std::unique_ptr<Peer> open_forebay_threads(const Request& request);
std::unique_ptr<Peer> open_forebay_tasks(const Request& request, int loops);

}  // namespace peers
