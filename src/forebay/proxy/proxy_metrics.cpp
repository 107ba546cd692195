#include "forebay/proxy/proxy_metrics.hpp"

#include "forebay/metrics/labelled_metrics.hpp"

namespace forebay::proxy {
namespace {

void write_clients(const LabelledMetrics<2>& metrics, const ProxyCounters& clients) {
  metrics.number(Metric::proxy_clients, clients.clients);
  metrics.number(Metric::proxy_refused, clients.refused);
  metrics.number(Metric::proxy_clients_lost, clients.clients_lost);
}

void write_route(MetricSink& sink, std::string_view service, const RouteStatistics& route) {
  LabelledMetrics<2> metrics(sink, {{{"service", service}, {"route", route.name}}});
  const ProxyCounters& clients = route.clients;
  write_clients(metrics, clients);
  metrics.number(Metric::proxy_waiting, clients.waiting);
  metrics.number(Metric::proxy_pinned, route.pinned);
  metrics.number(Metric::proxy_logins, clients.logins);
  metrics.number(Metric::proxy_stays, clients.stays);
  metrics.number(Metric::proxy_waits, clients.waits);
  metrics.number(Metric::proxy_unserved, clients.unserved);
  metrics.number(Metric::proxy_cancels, clients.cancels);
  metrics.number(Metric::proxy_servers_lost, clients.servers_lost);
  const SessionCounters& sessions = route.sessions;
  for (std::size_t i = 0; i < kPinKinds; ++i) {
    metrics.number_of(Metric::proxy_pins, "kind", proxy::name(static_cast<PinKind>(i)),
                      sessions.pins_by_kind[i]);
  }
  metrics.number(Metric::proxy_state_refusals, sessions.refusals);
  metrics.number(Metric::proxy_parses_added, sessions.parses_added);
  metrics.number(Metric::proxy_parses_answered, sessions.parses_answered);
  metrics.number(Metric::proxy_statements_closed, sessions.statements_closed);
  metrics.number(Metric::proxy_fits, sessions.fits);
}

}  // namespace

void write_proxy_metrics(MetricSink& sink, std::string_view service,
                         const ProxyStatistics& statistics) {
  for (const RouteStatistics& route : statistics.routes) write_route(sink, service, route);
  const LabelledMetrics<2> strangers(sink, {{{"service", service}, {"route", kNoRoute}}});
  write_clients(strangers, statistics.strangers);
}

}  // namespace forebay::proxy
