// Texts of times and UUIDs, and what PostgreSQL makes of them. Tests without a server rely on them,
// and tests/postgres asks a server whether they are right.
#pragma once

#include <cstdint>

namespace forebay::test {

struct KnownTime {
  const char* text;
  std::int64_t microseconds;  // since 1970
};

// As the server prints them with TimeZone UTC.
inline constexpr KnownTime kPrintedTimes[] = {
    {"1970-01-01 00:00:00+00", 0},
    {"2026-01-02 03:04:05.678901+00", 1'767'323'045'678'901},
    {"2026-01-02 03:04:05.6+00", 1'767'323'045'600'000},
    {"1969-12-31 23:59:59.999999+00", -1},
    {"2000-02-29 12:00:00+00", 951'825'600'000'000},
    {"0001-01-01 00:00:00+00", -62'135'596'800'000'000},
    {"0001-12-31 23:59:59.999999+00 BC", -62'135'596'800'000'001},
    {"0001-02-29 00:00:00+00 BC", -62'162'121'600'000'000},
    {"0044-03-15 12:00:00+00 BC", -63'517'780'800'000'000},
    {"4714-11-24 00:00:00+00 BC", -210'866'803'200'000'000},
    {"10000-01-01 00:00:00+00", 253'402'300'800'000'000},
    {"294247-01-10 04:00:54.775807+00", INT64_MAX},
};

// Other ways to write them that it reads.
inline constexpr KnownTime kReadTimes[] = {
    {"2026-01-02 03:04:05.678901", 1'767'323'045'678'901},
    {"2026-01-02T03:04:05.678901Z", 1'767'323'045'678'901},
    {"2026-01-02 08:34:05.678901+05:30", 1'767'323'045'678'901},
    {"2026-01-01T19:04:05.678901-0800", 1'767'323'045'678'901},
    {"1883-11-18 12:03:58-07:52:58", -2'717'640'184'000'000},
    {"0044-03-15 12:00:00 BC", -63'517'780'800'000'000},
    {"2016-12-31 23:59:60+00", 1'483'228'800'000'000},
};

// No times at all.
inline constexpr const char* kNoTimes[] = {
    "2026-02-30 00:00:00+00",
    "0004-02-29 00:00:00+00 BC",
    "0000-01-01 00:00:00 BC",
};

// The same UUID, as the server prints it first.
inline constexpr const char* kUuidTexts[] = {
    "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",    "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
    "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",  "a0eebc999c0b4ef8bb6d6bb9bd380a11",
    "a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11", "{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}",
};

inline constexpr const char* kNoUuids[] = {
    "",
    "{",
    "}",
    "{}",
    "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1",
    "g0eebc999c0b4ef8bb6d6bb9bd380a11",
    "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a111",
    "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}",
    " a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    "a0-eebc999c0b4ef8bb6d6bb9bd380a11",
    "a0eebc99--9c0b-4ef8-bb6d-6bb9bd380a11",
    "-a0eebc999c0b4ef8bb6d6bb9bd380a11",
    "a0eebc999c0b4ef8bb6d6bb9bd380a11-",
    "urn:uuid:a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
};

}  // namespace forebay::test
