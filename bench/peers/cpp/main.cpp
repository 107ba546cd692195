// The peers in C++: bare libpq, and Forebay with threads and with tasks. bench/peers/run calls it.
//
//   peers --peer libpq|threads|tasks|loop --socket DIR --port P --work
//   select1|row|transaction|batch
//         --callers N --connections N --seconds S --warm-up S
//
// tasks are those of a loop for each processor, loop those of one. Prints one line of JSON.
// processor_us is the time of this process for each cycle, by getrusage.
#include <algorithm>
#include <map>
#include <thread>

#include <sys/resource.h>

#include "peer.hpp"

namespace peers {
namespace {

Work work_named(const std::string& name) {
  if (name == "select1") return Work::select1;
  if (name == "row") return Work::row;
  if (name == "transaction") return Work::transaction;
  if (name == "batch") return Work::batch;
  give_up("no such work: " + name);
}

Request read_request(int count, char** words) {
  std::map<std::string, std::string> given;
  for (int i = 1; i + 1 < count; i += 2) given[words[i]] = words[i + 1];
  Request request;
  request.peer = given["--peer"];
  request.socket = given["--socket"];
  request.port = given["--port"];
  request.work = work_named(given["--work"]);
  request.callers = std::stoi(given["--callers"]);
  request.connections = std::stoi(given["--connections"]);
  request.seconds = std::stod(given["--seconds"]);
  request.warm_up = std::stod(given["--warm-up"]);
  return request;
}

std::unique_ptr<Peer> open_peer(const Request& request) {
  if (request.peer == "libpq") return open_libpq(request);
  if (request.peer == "threads") return open_forebay_threads(request);
  if (request.peer == "loop") return open_forebay_tasks(request, 1);
  if (request.peer == "tasks")
    return open_forebay_tasks(request, static_cast<int>(std::thread::hardware_concurrency()));
  give_up("no such peer: " + request.peer);
}

double processor_us() {
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  const auto us = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return us(use.ru_utime) + us(use.ru_stime);
}

void report(const Request& request, const std::vector<Caller>& callers, double processor) {
  std::vector<double> all;
  for (const Caller& caller : callers)
    all.insert(all.end(), caller.cycles().begin(), caller.cycles().end());
  if (all.empty()) give_up("no cycle was through in time");
  std::ranges::sort(all);
  const auto quantile = [&](double part) {
    return all[static_cast<std::size_t>(static_cast<double>(all.size() - 1) * part)];
  };
  const auto served = [](const Caller& caller) { return caller.cycles().size(); };
  const auto [least, most] = std::ranges::minmax_element(callers, {}, served);
  std::printf(
      "{\"queries\": %zu, \"seconds\": %.3f, \"processor_us\": %.2f, \"p50_ms\": %.4f, "
      "\"p999_ms\": %.4f, \"fairness\": %.4f}\n",
      all.size(), request.seconds, processor / static_cast<double>(all.size()), quantile(0.5),
      quantile(0.999), static_cast<double>(served(*least)) / static_cast<double>(served(*most)));
}

int run(int count, char** words) {
  const Request request = read_request(count, words);
  const std::unique_ptr<Peer> peer = open_peer(request);
  const auto seconds = [](double value) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value));
  };
  Window window;
  window.start = Clock::now() + seconds(request.warm_up);
  window.end = window.start + seconds(request.seconds);
  std::vector<Caller> callers;
  for (int i = 0; i < request.callers; ++i) callers.emplace_back(window, i);

  std::thread serving([&] { peer->serve(callers); });
  std::this_thread::sleep_until(window.start);
  const double before = processor_us();
  std::this_thread::sleep_until(window.end);
  const double processor = processor_us() - before;
  serving.join();
  report(request, callers, processor);
  return 0;
}

}  // namespace
}  // namespace peers

int main(int count, char** words) { return peers::run(count, words); }
