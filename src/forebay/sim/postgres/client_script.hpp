// ClientScript: what a simulated client of a proxy asks for, unit by unit, by chance.
//
// Statements that only one client can have sent carry its mark, "c3x17": client 3, statement 17. So
// does all that it leaves in its session. What has no mark is shared: equal texts of several
// clients.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/env/random.hpp"
#include "forebay/sim/postgres/model_postgres.hpp"

namespace forebay::sim {

// What a client does, beside plain statements and transactions.
struct ClientHabits {
  ClientHabits() = default;
  bool is_hasty = false;       // sends several units ahead of their answers
  bool keeps_state = false;    // leaves what cannot follow it: LISTEN, temporary tables …
  bool looks_at_state = true;  // asks what its session carries
  bool resets = true;          // RESET, DISCARD ALL
  bool copies = true;
  bool sleeps = true;  // long statements, some of which it cancels
  // In place of all that: transactions of so many statements, each of which takes so long.
  int statements = 0;
  Duration statement_time{};
};

// Messages up to a Sync, or one Query with what belongs to it.
struct ClientUnit {
  ClientUnit() = default;
  std::string messages;
  bool is_alone = false;  // to be sent when everything is answered, and nothing behind it
  bool is_worth_cancel = false;
};

class ClientScript {
 public:
  // The chance outlives it.
  ClientScript(int client, const ClientHabits& habits, Random& random)
      : client_(client), habits_(habits), random_(random) {}

  // The client has connected anew.
  void begin();
  ClientUnit next();
  // It ends its transaction next, and leaves nothing open.
  bool is_in_transaction() const { return units_left_ > 0; }
  int marks() const { return marks_; }  // so far

 private:
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  std::string mark();
  std::string any_name();
  std::string any_select();
  std::string any_text();
  std::string any_about_state();
  ClientUnit simple(std::string_view sql, bool is_alone = false) const;
  ClientUnit extended();
  ClientUnit plain_extended(const std::string& sql);
  ClientUnit sleep();
  ClientUnit copy_in();
  ClientUnit step_of_transaction();
  ClientUnit step_of_plain_transaction();

  const int client_;
  const ClientHabits habits_;
  Random& random_;
  int marks_ = 0;
  int units_left_ = 0;  // of the transaction
};

// The client whose statement this is, by its mark: 3, of "c3x17". 0: it has none, or it is the
// proxy's own: those have quoted names, and may bear the marks of the client that they are for.
int marked_client(std::string_view sql);
int marked_number(std::string_view sql);  // 17 of "c3x17"
// Something in the text is marked by a client other than this one.
bool has_mark_of_another(std::string_view text, int client);

}  // namespace forebay::sim
