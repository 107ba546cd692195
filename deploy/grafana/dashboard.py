#!/usr/bin/env python3
"""Writes the Grafana dashboard to standard output:  deploy/grafana/dashboard.py > deploy/grafana/forebay.json

The rows below are the dashboard: a panel is its title, what it says, its unit and its queries. The first row answers
whether the reservoir is full, and if not, why. A test compares the file with what this prints.
"""

import json
import sys

SOURCE = {"type": "prometheus", "uid": "${datasource}"}
RED, YELLOW, GREEN = "red", "yellow", "green"
COLUMNS = 24

# What a query may leave to the reader's choice: POOL for metrics of pools, ROUTE for those of a
# proxy's routes, SERVICE for those of processes.
POOL = '{service=~"$service",pool=~"$pool"}'
SERVICE = '{service=~"$service"}'
# Routes of a proxy are called as their pools, but those for whom there is none are nobody's choice.
ROUTE = '{service=~"$service",route=~"$pool"}'


def rate(metric, labels):
    return f"rate({metric}{labels}[$__rate_interval])"


def quantile(share, metric, labels, by):
    return f"histogram_quantile({share}, sum by (le, {by}) ({rate(metric + '_bucket', labels)}))"


def panel(kind, title, description, unit, queries, width, options, defaults):
    targets = [{"datasource": SOURCE, "expr": expression, "legendFormat": legend, "refId": chr(ord("A") + number)}
               for number, (legend, expression) in enumerate(queries.items())]
    return {"type": kind, "title": title, "description": description, "datasource": SOURCE, "targets": targets,
            "options": options, "fieldConfig": {"defaults": {"unit": unit, **defaults}, "overrides": []},
            "gridPos": {"w": width, "h": 5 if kind == "stat" else 8}}


def number(title, description, unit, expression, steps, width=3):
    """One figure that is coloured. The steps are colours and where they begin, the first from below everything."""
    thresholds = [{"color": color, "value": value} for color, value in steps]
    return panel("stat", title, description, unit, {"": expression}, width,
                 {"colorMode": "background", "graphMode": "area", "reduceOptions": {"calcs": ["lastNotNull"]}},
                 {"thresholds": {"mode": "absolute", "steps": thresholds}, "noValue": "none"})


def lines(title, description, unit, queries, width=8):
    return panel("timeseries", title, description, unit, queries, width,
                 {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
                 {"min": 0, "custom": {"lineWidth": 1, "fillOpacity": 10, "showPoints": "never"}})


def is_the_reservoir_full():
    failures = "dsql_reservoir_refill_failures_total"
    limit = (f"max by (endpoint) (dsql_distributed_conn_lease_active{SERVICE}"
             f" / (dsql_distributed_conn_lease_limit{SERVICE} > 0))")
    return [
        number("Fill", "Ready connections beside the target, in the pool that has least. Green above 0.9; below 0.5 "
               "for five minutes it is an alert.", "percentunit",
               f"min(dsql_reservoir_size{POOL} / (dsql_reservoir_target{POOL} > 0))",
               [(RED, None), (YELLOW, 0.5), (GREEN, 0.9)]),
        number("Not filled yet", "Pools that have not come through their initial fill.", "short",
               f"sum(1 - forebay_pool_filled{POOL})", [(GREEN, None), (YELLOW, 1)]),
        number("Empty events", "Callers a second who find no connection ready. Healthy: 0.", "ops",
               f"sum({rate('dsql_reservoir_empty_total', POOL)})", [(GREEN, None), (RED, 0.001)]),
        number("Failed connects", "Connections a second that cannot be opened. Healthy: 0. The plot below has the "
               "step at which they fail.", "ops", f"sum({rate(failures, POOL)})", [(GREEN, None), (RED, 0.001)]),
        number("Cluster's limit", "Leased connections beside the limit of the whole cluster, in the fullest one. "
               "Above 0.9 nothing may be left for a spike.", "percentunit", f"max({limit})",
               [(GREEN, None), (YELLOW, 0.8), (RED, 0.9)]),
        number("Cluster's rate", "Connects a second that had to wait for a place of the cluster's rate. Many while "
               "the fill is low: the rate is what holds it up.", "ops",
               f"sum({rate('forebay_permit_waits_total', SERVICE)})", [(GREEN, None), (YELLOW, 10)]),
        number("Store", "Requests to the coordination store that failed in a row, in the process that has most. Three "
               "mean that it is away.", "short", f"max(forebay_store_failures{SERVICE})",
               [(GREEN, None), (YELLOW, 1), (RED, 3)]),
        number("Tokens", "IAM tokens a second that could not be made. Healthy: 0.", "ops",
               f"sum({rate('forebay_token_failures_total', SERVICE)})", [(GREEN, None), (RED, 0.001)]),
        lines("Ready and target", "What is ready to be lent, beside the target, and beside what can be ready while "
              "others are lent. Ready below that: it is not refilled.", "short",
              {"{{service}} {{pool}} ready": f"sum by (service, pool) (dsql_reservoir_size{POOL})",
               "{{service}} {{pool}} target": f"sum by (service, pool) (dsql_reservoir_target{POOL})",
               "{{service}} {{pool}} wanted now": f"sum by (service, pool) (forebay_pool_wanted_ready{POOL})"}),
        lines("Failed connects by step", "lease_acquire: the cluster's limit or its store. token_provider: "
              "credentials. rate_limit: no permit in time. connection_open: the server. after_connect: the service's "
              "own hook.",
              "ops", {"{{service}} {{reason}}": f"sum by (service, reason) ({rate(failures, POOL)})"}),
        lines("Demand and supply", "Callers served, connections opened, and connections closed. Draining: closed runs "
              "ahead of opened.", "ops",
              {"checkouts": f"sum({rate('dsql_reservoir_checkouts_total', POOL)})",
               "opened": f"sum({rate('dsql_reservoir_refills_total', POOL)})",
               "closed": f"sum({rate('dsql_reservoir_discards_total', POOL)})"}),
    ]


def pools():
    latency = "dsql_reservoir_checkout_latency_milliseconds"
    return [
        lines("Connections", "Open, lent and idle, beside what the pools may have.", "short",
              {"max": f"sum(dsql_pool_max_open{POOL})", "open": f"sum(dsql_pool_open{POOL})",
               "in use": f"sum(dsql_pool_in_use{POOL})", "idle": f"sum(dsql_pool_idle{POOL})"}),
        lines("Time to get a connection", "Those who waited included. Healthy: a 99th percentile below 1 ms.", "ms",
              {"{{service}} {{pool}} median": quantile(0.5, latency, POOL, "service, pool"),
               "{{service}} {{pool}} 99 %": quantile(0.99, latency, POOL, "service, pool")}),
        lines("Wait of those who had to", "Only callers who found nothing ready and got a connection in the end.", "s",
              {"{{service}} {{pool}} median": quantile(0.5, "dsql_pool_wait_duration", POOL, "service, pool"),
               "{{service}} {{pool}} 99 %": quantile(0.99, "dsql_pool_wait_duration", POOL, "service, pool")}),
        lines("Callers who wait", "Now waiting, served after a wait, timed out, refused, cancelled.", "short",
              {"waiting now": f"sum(forebay_pool_waiters{POOL})",
               "served after a wait, a second": f"sum({rate('dsql_pool_wait_total', POOL)})",
               "timed out, a second": f"sum({rate('forebay_pool_timeouts_total', POOL)})",
               "refused, a second": f"sum({rate('forebay_pool_refused_total', POOL)})",
               "cancelled, a second": f"sum({rate('forebay_pool_cancels_total', POOL)})"}),
        lines("On their way", "Missing from the target, being opened, cleaned and closed.", "short",
              {"missing": f"sum(dsql_pool_keeper_deficit{POOL})", "opening": f"sum(dsql_pool_keeper_opening{POOL})",
               "cleaning": f"sum(forebay_pool_cleaning{POOL})", "closing": f"sum(forebay_pool_closing{POOL})",
               "held": f"sum(forebay_pool_held{POOL})"}),
        lines("Time to connect", "How long opening a connection takes, as observed lately.", "s",
              {"{{service}} {{pool}}": f"max by (service, pool) (forebay_pool_connect_time_seconds{POOL})"}),
        lines("Leaks", "Connections lent for longer than the leak threshold. The log names the line of code.", "short",
              {"{{service}} {{pool}}": f"sum by (service, pool) (increase(forebay_pool_leaks_total{POOL}[1h]))"}),
    ]


def expiry():
    return [
        lines("Closed by reason", "replaced is the planned end of a life. docs/glossary.md explains each reason.",
              "ops",
              {"{{reason}}": f"sum by (reason) ({rate('dsql_reservoir_discards_total', POOL)})"}, 12),
        lines("Replaced in time, and too late", "A guard eviction is a connection that was closed before there was a "
              "replacement. As many as connections opened: the guard window is large for the lifetime, or the rate "
              "too low.", "ops",
              {"replaced ahead": f"sum({rate('dsql_pool_keeper_replacements_total', POOL)})",
               "guard evictions": f"sum({rate('forebay_pool_guard_evictions_total', POOL)})",
               "opened": f"sum({rate('dsql_reservoir_refills_total', POOL)})"}, 12),
        lines("Closed, as other clients count", "Life over, unused for too long, or one too many when given back.",
              "ops",
              {"life over": f"sum({rate('dsql_db_closed_max_lifetime_total', POOL)})",
               "unused": f"sum({rate('dsql_db_closed_max_idle_time_total', POOL)})",
               "one too many": f"sum({rate('dsql_db_closed_max_idle_total', POOL)})"}, 12),
        lines("Topped up", "Connects that the keeper begins, in pools without a reservoir.", "ops",
              {"{{service}} {{pool}}": f"sum by (service, pool) ({rate('dsql_pool_keeper_topup_total', POOL)})"}, 12),
    ]


def transactions():
    def each(metric):
        return f"sum by (operation) ({rate(metric, SERVICE)})"

    return [
        lines("Transactions", "Committed and failed, by operation.", "ops",
              {"{{operation}} committed": each("dsql_tx_successes_total"),
               "{{operation}} failed": each("dsql_tx_failures_total")}),
        lines("Conflicts", "Attempts that end in a conflict, beside all attempts. More than one in five is an alert.",
              "percentunit", {"{{operation}}": f"{each('dsql_tx_conflict_total')} / "
                                               f"({each('dsql_tx_attempts_total')} > 0)"}),
        lines("Retries", "Attempts made again, and transactions that had no retry left.", "ops",
              {"{{operation}} retries": each("dsql_tx_retry_total"),
               "{{operation}} exhausted": each("dsql_tx_exhausted_total")}),
        lines("Errors by class", "retryable: a conflict. permanent: the same again would end the same. "
              "unknown_outcome: the connection was lost during COMMIT. unknown: an internal error of the server, or a "
              "code that no document has.", "ops",
              {"{{error_class}}": f"sum by (error_class) ({rate('dsql_tx_error_class_total', SERVICE)})"}),
        lines("Latency", "From the first attempt to the end of the last, pauses included.", "s",
              {"{{operation}} median": quantile(0.5, "dsql_tx_latency", SERVICE, "operation"),
               "{{operation}} 99 %": quantile(0.99, "dsql_tx_latency", SERVICE, "operation")}),
        lines("Pauses before retries", "They double with each retry of a transaction.", "s",
              {"{{operation}} 99 %": quantile(0.99, "dsql_tx_backoff", SERVICE, "operation")}),
    ]


def cluster():
    def largest(metric):
        return f"max by (endpoint) ({metric}{SERVICE})"

    def each(metric):
        return f"sum by (service) ({rate(metric, SERVICE)})"

    return [
        lines("Leased connections", "Of the whole cluster, as the processes last heard, beside the limit.", "short",
              {"{{endpoint}} leased": largest("dsql_distributed_conn_lease_active"),
               "{{endpoint}} limit": largest("dsql_distributed_conn_lease_limit")}),
        lines("Who holds them", "Leases by service, and those with a connection behind them.", "short",
              {"{{service}} held": f"sum by (service) (forebay_lease_held{SERVICE})",
               "{{service}} in use": f"sum by (service) (forebay_lease_in_use{SERVICE})"}),
        lines("Processes", "With a lease, as far as they know of each other.", "short",
              {"{{endpoint}}": largest("forebay_cluster_processes")}),
        lines("Leases in trouble", "Connections without a lease, processes whose lease has ended, leases lost, and "
              "connections of dead processes that were freed. Healthy: 0, but for the last after a crash.", "short",
              {"without a lease": f"sum(forebay_lease_overhang{SERVICE})",
               "lease ended": f"sum(forebay_lease_lost{SERVICE})",
               "lost in 5 minutes": f"sum(increase(forebay_lease_losses_total{SERVICE}[5m]))",
               "freed in 5 minutes": f"sum(increase(forebay_lease_reaped_total{SERVICE}[5m]))"}),
        lines("Places of the rate", "Connects that waited for a place, and places that came too late to be used. Many "
              "of these: the store is slow, or a clock is off. Seconds of others: a process in bucket mode does not "
              "see the connects of others; set rate.mode to window or auto.", "ops",
              {"{{service}} waited": each("forebay_permit_waits_total"),
               "{{service}} too late": each("forebay_permits_lost_total"),
               "{{service}} seconds of others": each("forebay_rate_foreign_seconds_total")}),
        lines("Tokens", "IAM tokens made, and those that could not be.", "ops",
              {"{{service}} made": each("forebay_tokens_signed_total"),
               "{{service}} failed": each("forebay_token_failures_total")}),
        lines("Requests to the store", "By kind, and answers that said: too many.", "reqps",
              {"{{kind}}": f"sum by (kind) ({rate('forebay_store_requests_total', SERVICE)})",
               "throttled": f"sum({rate('forebay_store_throttles_total', SERVICE)})"}),
        lines("Cost of the store", "Units that DynamoDB charges, a second.", "short",
              {"write units": f"sum({rate('forebay_store_write_units_total', SERVICE)})",
               "read units": f"sum({rate('forebay_store_read_units_total', SERVICE)})"}),
        lines("Store failures in a row", "By process. Three mean that it is away.", "short",
              {"{{service}} {{instance}} {{kind}}": f"forebay_store_failures{SERVICE}"}),
    ]


def of_tenants(expression):
    return f"sum by (service, tenant) ({expression})"


def tenants():
    return [
        lines("Connections of tenants", "All together, beside what they may have.", "short",
              {"{{service}}": f"sum by (service) (forebay_tenant_connections{SERVICE})",
               "{{service}} max": f"sum by (service) (forebay_tenant_connections_max{SERVICE})"}),
        lines("Tenants", "Known, with a pool, and waiting for room. Healthy: nobody waits.", "short",
              {"{{service}} known": f"sum by (service) (forebay_tenants_known{SERVICE})",
               "{{service}} warm": f"sum by (service) (forebay_tenants_warm{SERVICE})",
               "{{service}} in line": f"sum by (service) (forebay_tenants_in_line{SERVICE})"}),
        lines("Pools closed for others", "The least recently used goes first. Many a second: more tenants are busy "
              "than there are connections.", "ops",
              {"{{service}}": f"sum by (service) ({rate('forebay_tenant_evictions_total', SERVICE)})"}),
        lines("Busiest tenants: callers", "Served a second, and in vain.", "ops",
              {"{{service}} {{tenant}}": of_tenants(rate("forebay_busy_tenant_served_total", SERVICE)),
               "{{service}} {{tenant}} in vain": of_tenants(rate("forebay_busy_tenant_timeouts_total", SERVICE))}),
        lines("Busiest tenants: connections", "Open, in use, and callers who wait now.", "short",
              {"{{service}} {{tenant}} open": of_tenants(f"forebay_busy_tenant_open{SERVICE}"),
               "{{service}} {{tenant}} in use": of_tenants(f"forebay_busy_tenant_in_use{SERVICE}"),
               "{{service}} {{tenant}} waiting": of_tenants(f"forebay_busy_tenant_waiters{SERVICE}")}),
        lines("Busiest tenants: waiting", "How long callers waited who had to, on average.", "s",
              {"{{service}} {{tenant}}":
               f"{of_tenants(rate('forebay_busy_tenant_wait_seconds_total', SERVICE))} / "
               f"{of_tenants(rate('forebay_busy_tenant_waits_total', SERVICE))}"}),
    ]


def proxy():
    def each(metric):
        return f"sum by (service, route) ({metric}{ROUTE})"

    def each_rate(metric, labels=ROUTE):
        return f"sum by (service, route) ({rate(metric, labels)})"

    return [
        lines("Clients", "Connected, waiting for a server now, and keeping one beyond their transactions.", "short",
              {"{{service}} {{route}}": each("forebay_proxy_clients"),
               "{{service}} {{route}} waiting": each("forebay_proxy_clients_waiting"),
               "{{service}} {{route}} pinned": each("forebay_proxy_clients_pinned")}),
        lines("Served", "Servers given to clients, of these after a wait, and statements that got none in time. How "
              "long they wait is among the pools.", "ops",
              {"{{service}} {{route}}": each_rate("forebay_proxy_stays_total"),
               "{{service}} {{route}} after a wait": each_rate("forebay_proxy_waits_total"),
               "{{service}} {{route}} in vain": each_rate("forebay_proxy_unserved_total")}),
        lines("Coming and going", "Let in, refused, and gone without a goodbye. The route (none) has those for whom "
              "there is none.", "ops",
              {"{{service}} {{route}} let in": each_rate("forebay_proxy_logins_total"),
               "{{service}} {{route}} refused": each_rate("forebay_proxy_refused_total", SERVICE),
               "{{service}} {{route}} vanished": each_rate("forebay_proxy_clients_lost_total")}),
        lines("Session state", "What made clients keep their server, by kind, and statements refused for it.", "ops",
              {"{{kind}}": f"sum by (kind) ({rate('forebay_proxy_pins_total', ROUTE)})",
               "refused": f"sum({rate('forebay_proxy_state_refused_total', ROUTE)})"}),
        lines("What follows clients", "Statements that a server had already, those prepared on it again, those closed "
              "for others, and parameters changed.", "ops",
              {"found": f"sum({rate('forebay_proxy_statements_found_total', ROUTE)})",
               "prepared again": f"sum({rate('forebay_proxy_statements_prepared_again_total', ROUTE)})",
               "closed": f"sum({rate('forebay_proxy_statements_closed_total', ROUTE)})",
               "parameters changed": f"sum({rate('forebay_proxy_parameter_changes_total', ROUTE)})"}),
        lines("Cancels and lost servers", "Cancels passed on, and servers that went away while they served.", "ops",
              {"{{service}} {{route}} cancels": each_rate("forebay_proxy_cancels_total"),
               "{{service}} {{route}} servers lost": each_rate("forebay_proxy_servers_lost_total")}),
    ]


def processes():
    return [
        lines("Processes that answer", "Scraped, by version.", "short",
              {"{{version}}": "count by (version) (forebay_build_info)"}, 12),
        lines("Processes that do not", "Targets of the job forebay that give no metrics.", "short",
              {"{{instance}}": 'up{job="forebay"} == 0'}, 12),
    ]


ROWS = {"Is the reservoir full, and if not, why?": is_the_reservoir_full, "Pools": pools,
        "Expiry and discards": expiry, "Transactions": transactions, "Cluster, store and what it costs": cluster,
        "Tenants": tenants, "Proxy": proxy, "Processes": processes}


def laid_out():
    """All panels with ids and places, from left to right and row by row."""
    placed, y = [], 0
    for title, panels in ROWS.items():
        placed.append({"type": "row", "title": title, "collapsed": False, "panels": [],
                       "gridPos": {"x": 0, "y": y, "w": COLUMNS, "h": 1}})
        y, x, height = y + 1, 0, 0
        for each in panels():
            place = each["gridPos"]
            if x + place["w"] > COLUMNS:
                y, x, height = y + height, 0, 0
            place.update(x=x, y=y)
            x, height = x + place["w"], max(height, place["h"])
            placed.append(each)
        y += height
    for identity, each in enumerate(placed, 1):
        each["id"] = identity
    return placed


def choice(name, query):
    return {"name": name, "label": name, "type": "query", "datasource": SOURCE, "definition": query,
            "query": {"query": query, "refId": name}, "refresh": 2, "sort": 1, "multi": True, "includeAll": True,
            "allValue": ".*", "current": {"text": "All", "value": "$__all"}}


def dashboard():
    source = {"name": "datasource", "label": "data source", "type": "datasource", "query": "prometheus", "refresh": 1}
    choices = [source, choice("service", "label_values(dsql_pool_max_open, service)"),
               choice("pool", 'label_values(dsql_pool_max_open{service=~"$service"}, pool)')]
    return {"uid": "forebay", "title": "Forebay", "tags": ["forebay"], "schemaVersion": 39, "version": 1,
            "description": "Connections that are ready before they are needed: whether they are, and if not, why.",
            "editable": True, "graphTooltip": 1, "refresh": "10s", "time": {"from": "now-1h", "to": "now"},
            "timezone": "", "annotations": {"list": []}, "links": [], "templating": {"list": choices},
            "panels": laid_out()}


if __name__ == "__main__":
    json.dump(dashboard(), sys.stdout, indent=1, ensure_ascii=False)
    print()
