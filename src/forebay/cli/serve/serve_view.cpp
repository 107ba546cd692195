#include "forebay/cli/serve/serve_view.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "forebay/cli/text/pool_rows.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::cli {
namespace {

// More would push the rest off the screen.
constexpr std::size_t kMostRoutes = 12;
constexpr std::size_t kLongestName = 24;

double per_second(std::uint64_t before, std::uint64_t now, Duration time) {
  if (time <= Duration::zero()) return 0;
  return static_cast<double>(now - before) / std::chrono::duration<double>(time).count();
}

std::string served_text(const proxy::ProxyCounters& counters) {
  return fmt::format("{} in all, {} after a wait, {} unserved", grouped(counters.stays),
                     grouped(counters.waits), grouped(counters.unserved));
}

// Of all routes together, as far as the view shows it.
PoolStatistics all_pools(const proxy::ProxyStatistics& proxy) {
  PoolStatistics sum;
  for (const proxy::RouteStatistics& route : proxy.routes) {
    add(sum, route.pool);
    sum.counters.opened += route.pool.counters.opened;
  }
  return sum;
}

class View {
 public:
  View(const ServeSample& earlier, const ServeSample& now, const TextStyle& style)
      : earlier_(earlier), now_(now), style_(style) {}

  std::vector<std::string> render(const ServeHead& head) {
    keep(StyledLine(style_)
             .add("forebay serve", Colour::bold)
             .add("  at " + head.listen + " for ")
             .add(head.place)
             .at_right(minutes_text(now_.at), Colour::bold));
    for (const std::string& remark : head.remarks)
      keep(StyledLine(style_).add(remark, Colour::dim));
    lines_.emplace_back();
    add_connection_rows(all_pools(now_.proxy), style_, lines_);
    add_clients();
    if (now_.proxy.routes.size() > 1) add_routes();
    for (const proxy::RouteStatistics& route : now_.proxy.routes) add_trouble(route);
    return std::move(lines_);
  }

 private:
  void keep(const StyledLine& finished) { lines_.push_back(finished.text()); }
  std::string rate(const proxy::ProxyCounters& before, const proxy::ProxyCounters& now) const {
    return row_rate_text(per_second(before.stays, now.stays, now_.at - earlier_.at));
  }
  void add_clients();
  void add_routes();
  void add_trouble(const proxy::RouteStatistics& route);

  const ServeSample& earlier_;
  const ServeSample& now_;
  const TextStyle& style_;
  std::vector<std::string> lines_;
};

void View::add_clients() {
  const proxy::ProxyCounters counters = now_.proxy.clients();
  keep(StyledLine(style_).add("clients", Colour::bold));
  keep(named_row(style_, "connected")
           .add(fmt::format("{:>7}", counters.clients))
           .to_column(kBarColumn)
           .add(fmt::format("{} have come, {} were refused, {} vanished",
                            grouped(counters.clients_total), grouped(counters.refused),
                            grouped(counters.clients_lost)),
                Colour::dim));
  keep(named_row(style_, "served")
           .add(fmt::format("{:>7}", rate(earlier_.proxy.clients(), counters)))
           .to_column(kBarColumn)
           .add(served_text(counters), Colour::dim));
  keep(named_row(style_, "waiting")
           .add(fmt::format("{:>7}", counters.waiting),
                counters.waiting > 0 ? Colour::yellow : Colour::plain)
           .to_column(kBarColumn)
           .add(fmt::format("{} cancels passed on, {} servers lost", grouped(counters.cancels),
                            grouped(counters.servers_lost)),
                Colour::dim));
}

void View::add_routes() {
  const std::vector<proxy::RouteStatistics>& routes = now_.proxy.routes;
  lines_.emplace_back();
  keep(StyledLine(style_)
           .add("routes", Colour::bold)
           .to_column(kNameColumn + static_cast<int>(kLongestName) + 2)
           .add("clients  waiting     lent  served", Colour::dim));
  for (std::size_t i = 0; i < std::min(routes.size(), kMostRoutes); ++i) {
    const proxy::RouteStatistics& route = routes[i];
    const bool was_there = i < earlier_.proxy.routes.size();
    const proxy::ProxyCounters before =
        was_there ? earlier_.proxy.routes[i].clients : proxy::ProxyCounters();
    keep(StyledLine(style_)
             .to_column(kNameColumn)
             .add(route.name.substr(0, kLongestName))
             .to_column(kNameColumn + static_cast<int>(kLongestName) + 2)
             .add(fmt::format("{:>7}", route.clients.clients))
             .add(fmt::format("{:>9}", route.clients.waiting),
                  route.clients.waiting > 0 ? Colour::yellow : Colour::plain)
             .add(fmt::format("{:>9}", fmt::format("{}/{}", route.pool.lent, route.pool.max)))
             .add(fmt::format("{:>8}", rate(before, route.clients))));
  }
  if (routes.size() > kMostRoutes) {
    keep(StyledLine(style_)
             .to_column(kNameColumn)
             .add(fmt::format("and {} more", routes.size() - kMostRoutes), Colour::dim));
  }
}

void View::add_trouble(const proxy::RouteStatistics& route) {
  if (route.pool.last_connect_error.empty()) return;
  lines_.emplace_back();
  const std::string whose =
      now_.proxy.routes.size() > 1 ? fmt::format(" of {}", route.name) : std::string();
  keep(StyledLine(style_)
           .add("last connect error", Colour::red)
           .add(whose + ": " + route.pool.last_connect_error));
}

}  // namespace

std::vector<std::string> render(const ServeHead& head, const ServeSample& earlier,
                                const ServeSample& now, const TextStyle& style) {
  return View(earlier, now, style).render(head);
}

std::string summary_text(const ServeSample& end) {
  const proxy::ProxyCounters counters = end.proxy.clients();
  std::string text = fmt::format(
      "served   {} ({})\n"
      "clients  {} ({} refused, {} vanished)\n"
      "servers  {} opened, {} lost, {} cancels passed on\n",
      grouped(counters.stays), served_text(counters), grouped(counters.clients_total),
      grouped(counters.refused), grouped(counters.clients_lost),
      grouped(all_pools(end.proxy).counters.opened), grouped(counters.servers_lost),
      grouped(counters.cancels));
  if (end.proxy.routes.size() < 2) return text;
  for (const proxy::RouteStatistics& route : end.proxy.routes)
    text += fmt::format("route    {}: {}\n", route.name, served_text(route.clients));
  return text;
}

}  // namespace forebay::cli
