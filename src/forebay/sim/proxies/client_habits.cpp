#include "forebay/sim/proxies/client_habits.hpp"

#include <string>

namespace forebay::sim {
namespace {

using std::chrono::milliseconds;

// Who is sent away, or finds nobody, tries again so soon at the earliest.
constexpr Duration kBack = milliseconds(200);

std::uint32_t per_million(double fraction) { return static_cast<std::uint32_t>(fraction * 1e6); }

SimClientOptions transactions(const ProxySpec& proxy) {
  SimClientOptions client;
  client.habits.statements = proxy.statements;
  client.habits.statement_time = proxy.statement_time;
  client.most_thought = proxy.think_time;
  client.least_back = kBack;
  const int units = proxy.statements == 1 ? 1 : proxy.statements + 2;
  client.units_of_a_life = proxy.stay * units;
  return client;
}

class Anything {
 public:
  Anything(const ProxySpec& proxy, int number, Random& random)
      : proxy_(proxy), number_(number), random_(random) {}

  SimClientOptions draw() {
    SimClientOptions client;
    if (one_in(2)) client.start["application_name"] = "c" + std::to_string(number_) + "x0";
    if (one_in(4)) client.start["DateStyle"] = "SQL, DMY";
    if (one_in(4)) client.start["search_path"] = one_in(2) ? "inn" : "app, public";
    ClientHabits& habits = client.habits;
    habits.is_hasty = one_in(3);
    habits.resets = client.start.empty();
    const bool keeps = proxy_.pooling == proxy::Pooling::session ||
                       proxy_.on_session_state == proxy::OnSessionState::pin;
    const bool refuses = proxy_.pooling == proxy::Pooling::transaction &&
                         proxy_.on_session_state == proxy::OnSessionState::refuse;
    // Where state does not stay with its client, half of them leave some, and the others look.
    habits.keeps_state = keeps ? one_in(2) : !refuses && number_ % 2 == 0;
    habits.looks_at_state = keeps || !habits.keeps_state;
    client.most_ahead = habits.is_hasty ? 1 + below(6) : 1;
    client.most_thought = one_in(4) ? Duration::zero() : some(1, 120);
    if (one_in(4)) client.most_read_pause = some(1, 30);
    client.least_back = some(1, 50);
    client.units_of_a_life = 1 + below(60);
    return client;
  }

 private:
  int below(int bound) {
    return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound)));
  }
  bool one_in(int n) { return below(n) == 0; }
  Duration some(int least, int most) {
    return random_.between(milliseconds(least), milliseconds(most));
  }

  const ProxySpec& proxy_;
  const int number_;
  Random& random_;
};

}  // namespace

SimClientOptions client_options(const ProxySpec& proxy, int number, Random& random) {
  SimClientOptions client = proxy.work == ClientWork::transactions
                                ? transactions(proxy)
                                : Anything(proxy, number, random).draw();
  client.number = number;
  return client;
}

ClientFaults client_faults(const ProxySpec& proxy) {
  ClientFaults faults;
  faults.hangs_up = per_million(proxy.hang_ups);
  faults.cancels = per_million(proxy.cancels);
  // Some cancel what is over before they know.
  faults.cancels_anything = per_million(proxy.cancels / 20);
  return faults;
}

}  // namespace forebay::sim
