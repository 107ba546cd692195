// How large a scenario may be. Beyond it somebody mistyped, or the machine would not bear it.
#pragma once

namespace forebay::sim {

inline constexpr int kMostConnections = 1'000'000;  // of all processes together; as in PoolOptions
inline constexpr int kMostProcesses = 10'000;
inline constexpr int kMostLoops = 64;         // as of a Runtime
inline constexpr int kMostTenants = 100'000;  // of one service
inline constexpr double kMostSkew = 10;
inline constexpr int kMostClients = 10'000;  // of one proxy
inline constexpr int kMostStatements = 10'000;
inline constexpr int kMostFaults = 100;
inline constexpr int kMostSamples = 100'000;               // of one process
inline constexpr int kMostSamplesOfAll = 5'000'000;        // about 1 GB
inline constexpr double kMostArrivals = 1e9;               // in a run
inline constexpr double kMostConnectsPerSecond = 1e6;      // as in PoolOptions
inline constexpr double kFewestConnectsPerSecond = 0.001;  // as in PoolOptions
inline constexpr int kMostOpening = 10'000;                // as in PoolOptions

}  // namespace forebay::sim
