// NoFork: while one is alive, fork() on another thread waits in its caller.
//
//   const NoFork whole_step;
//   PQconnectPoll(connection);
//
// Libraries have locks that the whole process shares: libpq's, OpenSSL's, Kerberos'. A child that
// is forked while another thread holds one finds it locked for ever, and would hang in the first
// connect of a pool of its own. Held for single steps that do not wait, on any thread; one inside
// another costs nothing. The same thread may fork: it knows what it holds.
#pragma once

namespace forebay {

class NoFork {
 public:
  NoFork();
  NoFork(const NoFork&) = delete;
  NoFork& operator=(const NoFork&) = delete;
  ~NoFork();
};

}  // namespace forebay
