#include "forebay/cli/serve/serve_view.hpp"

#include <fmt/format.h>

#include "forebay/cli/text/pool_rows.hpp"
#include "forebay/env/duration_text.hpp"

namespace forebay::cli {
namespace {

double per_second(std::uint64_t before, std::uint64_t now, Duration time) {
  if (time <= Duration::zero()) return 0;
  return static_cast<double>(now - before) / std::chrono::duration<double>(time).count();
}

std::string served_text(const proxy::ProxyCounters& counters) {
  return fmt::format("{} in all, {} after a wait, {} unserved", grouped(counters.stays),
                     grouped(counters.waits), grouped(counters.unserved));
}

}  // namespace

std::vector<std::string> render(const ServeHead& head, const ServeSample& earlier,
                                const ServeSample& now, const TextStyle& style) {
  std::vector<std::string> lines;
  const auto keep = [&lines](const StyledLine& finished) { lines.push_back(finished.text()); };
  const proxy::ProxyCounters& counters = now.proxy;
  keep(StyledLine(style)
           .add("forebay serve", Colour::bold)
           .add("  at " + head.listen + " for ")
           .add(head.place)
           .at_right(minutes_text(now.at), Colour::bold));
  for (const std::string& remark : head.remarks) keep(StyledLine(style).add(remark, Colour::dim));
  lines.emplace_back();
  add_connection_rows(now.pool, style, lines);
  keep(StyledLine(style).add("clients", Colour::bold));
  keep(named_row(style, "connected")
           .add(fmt::format("{:>7}", counters.clients))
           .to_column(kBarColumn)
           .add(fmt::format("{} have come, {} were refused, {} vanished",
                            grouped(counters.clients_total), grouped(counters.refused),
                            grouped(counters.clients_lost)),
                Colour::dim));
  keep(named_row(style, "served")
           .add(fmt::format("{:>7}", row_rate_text(per_second(earlier.proxy.stays, counters.stays,
                                                              now.at - earlier.at))))
           .to_column(kBarColumn)
           .add(served_text(counters), Colour::dim));
  keep(named_row(style, "waiting")
           .add(fmt::format("{:>7}", counters.waiting),
                counters.waiting > 0 ? Colour::yellow : Colour::plain)
           .to_column(kBarColumn)
           .add(fmt::format("{} cancels passed on, {} servers lost", grouped(counters.cancels),
                            grouped(counters.servers_lost)),
                Colour::dim));
  if (!now.pool.last_connect_error.empty()) {
    lines.emplace_back();
    keep(StyledLine(style)
             .add("last connect error", Colour::red)
             .add(": " + now.pool.last_connect_error));
  }
  return lines;
}

std::string summary_text(const ServeSample& end) {
  const proxy::ProxyCounters& counters = end.proxy;
  return fmt::format(
      "served   {} ({})\n"
      "clients  {} ({} refused, {} vanished)\n"
      "servers  {} opened, {} lost, {} cancels passed on\n",
      grouped(counters.stays), served_text(counters), grouped(counters.clients_total),
      grouped(counters.refused), grouped(counters.clients_lost), grouped(end.pool.counters.opened),
      grouped(counters.servers_lost), grouped(counters.cancels));
}

}  // namespace forebay::cli
