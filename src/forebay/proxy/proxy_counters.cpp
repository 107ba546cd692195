#include "forebay/proxy/proxy_counters.hpp"

namespace forebay::proxy {

void add(ProxyCounters& sum, const ProxyCounters& more) {
  sum.clients_total += more.clients_total;
  sum.logins += more.logins;
  sum.refused += more.refused;
  sum.stays += more.stays;
  sum.waits += more.waits;
  sum.unserved += more.unserved;
  sum.cancels += more.cancels;
  sum.servers_lost += more.servers_lost;
  sum.clients_lost += more.clients_lost;
  sum.clients += more.clients;
  sum.waiting += more.waiting;
}

ProxyCounters ProxyStatistics::clients() const {
  ProxyCounters sum = strangers;
  for (const RouteStatistics& route : routes) add(sum, route.clients);
  return sum;
}

}  // namespace forebay::proxy
