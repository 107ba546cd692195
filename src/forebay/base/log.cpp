#include "forebay/base/log.hpp"

#include <atomic>
#include <cstdio>
#include <memory>
#include <utility>

#include "forebay/base/log_clock.hpp"
#include "forebay/base/log_limit.hpp"
#include "forebay/base/no_fork.hpp"
#include "forebay/detail/base/mutex.hpp"

namespace forebay::log {
namespace {

struct Voice {
  std::atomic<Level> level{Level::warning};
  std::atomic<bool> is_level_set{false};
  std::atomic<Format> format{Format::text};
  // The limit's next_due(), for those who look without the lock.
  std::atomic<LogLimit::Instant::rep> next_due{LogLimit::kNever.count()};
  Mutex mutex;
  std::shared_ptr<const Sink> sink FOREBAY_GUARDED_BY(mutex);
  LogLimit limit FOREBAY_GUARDED_BY(mutex){LogLimit::Rule{}};
};

// Never destroyed: threads may still log while the process exits.
Voice& voice() {
  static Voice* const instance = new Voice;
  return *instance;
}

thread_local int mutes = 0;

void hand_to(const std::shared_ptr<const Sink>& sink, const Event& event) {
  if (sink != nullptr) {
    try {
      (*sink)(event);
      return;
    } catch (...) {
      // A sink that cannot take it is no reason to lose it, nor to hurt the code that logged it.
    }
  }
  write_to_stderr(event);
}

// With how often it was repeated, if it was.
void deliver(const std::shared_ptr<const Sink>& sink, Event event, std::uint64_t repeated) {
  std::vector<Field> fields;
  fields.reserve(event.fields.size() + 1);
  for (const Field& given : event.fields) {
    if (!std::holds_alternative<std::monostate>(given.value)) fields.push_back(given);
  }
  if (repeated > 0) fields.push_back(field("repeated", repeated));
  event.fields = fields;
  hand_to(sink, event);
}

// What is told in detail is wanted in detail: nothing of it is held back.
bool is_limited(Level level) { return level > Level::debug; }

// What is due, and then the event, if there is one and it is not held back.
void write_due(LogLimit::Instant now, const Event* event) {
  Voice& all = voice();
  std::shared_ptr<const Sink> sink;
  LogLimit::Verdict verdict;
  std::vector<LogLimit::Repeats> due;
  {
    const NoFork while_locked;  // a child logs too
    MutexLock lock(all.mutex);
    sink = all.sink;
    if (event != nullptr && is_limited(event->level)) verdict = all.limit.note(*event, now);
    due = all.limit.take_due(now);
    all.next_due.store(all.limit.next_due().count(), std::memory_order_relaxed);
  }
  for (const LogLimit::Repeats& repeats : due)
    deliver(sink, repeats.last.event(), repeats.repeated);
  if (event != nullptr && verdict.is_told) deliver(sink, *event, verdict.repeated);
}

// Without memory for a line there is none.
void write_due_if_possible(LogLimit::Instant now, const Event* event = nullptr) noexcept {
  try {
    write_due(now, event);
  } catch (...) {
  }
}

}  // namespace

Mute::Mute() { ++mutes; }

Mute::~Mute() { --mutes; }

void set_sink(Sink sink) {
  std::shared_ptr<const Sink> shared;
  if (sink) shared = std::make_shared<const Sink>(std::move(sink));
  MutexLock lock(voice().mutex);
  voice().sink.swap(shared);
}

// One call writes the line, so that lines of several threads and processes do not mix.
void write_to_stderr(const Event& event) {
  const bool is_json = voice().format.load(std::memory_order_relaxed) == Format::json;
  const std::string line = (is_json ? json_line(event) : text_line(event)) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void set_format(Format format) { voice().format.store(format, std::memory_order_relaxed); }

void set_level(Level level) {
  voice().is_level_set.store(true);
  voice().level.store(level);
}

void suggest_level(Level level) {
  if (!voice().is_level_set.load()) voice().level.store(level);
}

bool is_on(Level level) {
  return level >= voice().level.load(std::memory_order_relaxed) && mutes == 0;
}

void write(Level level, std::string_view message, std::initializer_list<Field> fields) {
  if (!is_on(level)) return;
  const Event event{level, message, std::span(fields.begin(), fields.size()), wall_now()};
  write_due_if_possible(steady_now(), &event);
}

void write_repeats() {
  const LogLimit::Instant due(voice().next_due.load(std::memory_order_relaxed));
  if (due == LogLimit::kNever || mutes > 0) return;
  const LogLimit::Instant now = steady_now();
  if (now >= due) write_due_if_possible(now);
}

void write_all_repeats() { write_due_if_possible(LogLimit::kNever); }

}  // namespace forebay::log
