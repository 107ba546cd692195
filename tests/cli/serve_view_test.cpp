// The live view of the proxy: what it says of one route, and of several.
#include "forebay/cli/serve/serve_view.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/env/time.hpp"

namespace forebay::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

ServeSample sample_of(int routes) {
  ServeSample sample;
  sample.at = 83s;
  sample.proxy.strangers.refused = 2;
  for (int i = 0; i < routes; ++i) {
    proxy::RouteStatistics& route = sample.proxy.routes.emplace_back();
    route.name = i == 0 ? "temporal" : "visibility" + std::to_string(i);
    route.clients.clients = 40;
    route.clients.waiting = i;
    route.clients.stays = 1000;
    route.pool.max = 10;
    route.pool.lent = 7;
    route.pool.ready = 3;
  }
  return sample;
}

std::string view_of(const ServeSample& now) {
  ServeHead head;
  head.place = "db:5432";
  head.listen = "127.0.0.1:6432";
  ServeSample earlier;
  earlier.at = 73s;
  TextStyle style;
  style.has_colour = false;
  style.has_unicode = false;
  std::string text;
  for (const std::string& line : render(head, earlier, now, style)) text += line + "\n";
  return text;
}

TEST(ServeViewTest, OneRouteIsNotNamed) {
  const std::string text = view_of(sample_of(1));

  EXPECT_THAT(text, HasSubstr("connections  10 of at most 10\n"));
  EXPECT_THAT(text, HasSubstr("2 were refused"));
  EXPECT_THAT(text, Not(HasSubstr("routes")));
  EXPECT_THAT(summary_text(sample_of(1)), Not(HasSubstr("route ")));
}

TEST(ServeViewTest, SeveralRoutesHaveALineEach) {
  ServeSample now = sample_of(2);
  now.proxy.routes[1].pool.last_connect_error = "no route to host";
  const std::string text = view_of(now);

  EXPECT_THAT(text, HasSubstr("connections  20 of at most 20\n"));
  EXPECT_THAT(text, HasSubstr("served       200/s  2,000 in all"));
  EXPECT_THAT(text, HasSubstr("\nroutes                      clients  waiting     lent  served\n"
                              "  temporal                       40        0     7/10   100/s\n"
                              "  visibility1                    40        1     7/10   100/s\n"));
  EXPECT_THAT(text, HasSubstr("last connect error of visibility1: no route to host\n"));
  EXPECT_THAT(summary_text(now), HasSubstr("\nroute    temporal: 1,000 in all"));
}

TEST(ServeViewTest, ManyRoutesFitOnAScreen) {
  const std::string text = view_of(sample_of(40));

  EXPECT_THAT(text, HasSubstr("  and 28 more\n"));
  EXPECT_LT(std::ranges::count(text, '\n'), 40);
}

}  // namespace
}  // namespace forebay::cli
