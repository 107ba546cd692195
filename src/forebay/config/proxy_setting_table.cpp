// The rows that forebay serve alone reads. Those that a route may say for itself are read from
// there by the same rows: see route_text.hpp.
#include <array>

#include "forebay/config/setting.hpp"
#include "forebay/config/setting_value.hpp"
#include "forebay/config/setting_words.hpp"

namespace forebay::config {

namespace {

template <auto... path>
constexpr SettingValue of_proxy() {
  return value_of<&Settings::proxy, path...>();
}
template <auto member>
constexpr SettingValue of_limits() {
  return value_with<TimeOrOff, &Settings::proxy, &ProxySettings::limits, member>();
}

constexpr auto kProxySettings = std::to_array<Setting>({
    {.key = "proxy.listen",
     .variable = "FOREBAY_PROXY_LISTEN",
     .value = of_proxy<&ProxySettings::listen>(),
     .help = "where clients call: [ADDRESS:]PORT of this machine alone, or the path of a Unix "
             "socket"},
    {.key = "proxy.pooling",
     .variable = "FOREBAY_PROXY_POOLING",
     .value = of_proxy<&ProxySettings::rules, &proxy::SessionRules::pooling>(),
     .help = "how long a client has a server: for a transaction, or until it ends"},
    {.key = "proxy.on_session_state",
     .variable = "FOREBAY_PROXY_ON_SESSION_STATE",
     .value = of_proxy<&ProxySettings::rules, &proxy::SessionRules::on_session_state>(),
     .help = "state that cannot follow a client to another server: the server stays with the "
             "client, the statement fails, or the state is left behind and cleared"},
    {.key = "proxy.query_wait",
     .variable = "FOREBAY_PROXY_QUERY_WAIT",
     .value = of_limits<&proxy::ClientLimits::query_wait>(),
     .help = "how long a client waits for a server; then its statement fails"},
    {.key = "proxy.query_limit",
     .variable = "FOREBAY_PROXY_QUERY_LIMIT",
     .value = of_limits<&proxy::ClientLimits::query>(),
     .help = "what takes longer is cancelled"},
    {.key = "proxy.idle_limit",
     .variable = "FOREBAY_PROXY_IDLE_LIMIT",
     .value = of_limits<&proxy::ClientLimits::idle_in_transaction>(),
     .help = "a client that is silent so long and keeps a server is sent away"},
    {.key = "proxy.read_limit",
     .variable = "FOREBAY_PROXY_READ_LIMIT",
     .value = of_limits<&proxy::ClientLimits::client_write>(),
     .help = "a client that does not read what it is sent for so long is cut off"},
    {.key = "proxy.log_in_limit",
     .variable = "FOREBAY_PROXY_LOG_IN_LIMIT",
     .value = of_limits<&proxy::ClientLimits::log_in>(),
     .help = "from a client's first byte to its welcome"},
});

}  // namespace

std::span<const Setting> proxy_settings() { return kProxySettings; }

}  // namespace forebay::config
