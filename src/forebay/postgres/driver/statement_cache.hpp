// StatementCache: what a connection knows of the texts that it was sent: what each leaves in the
// session, how often it came, and under which name the server has it prepared.
//
// At most as many texts as the options say are known; the one not used for longest is forgotten
// for a new one. If the server has it prepared, its name is stale from then on, until the next
// reset drops it there. Confined to the connection's user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "forebay/pool/session_options.hpp"
#include "forebay/wire/statement_reading.hpp"

namespace forebay::postgres {

class AnswerShape;

class StatementCache {
 public:
  // How many stale names are worth a reset. They cost the server memory, and nobody else anything.
  static constexpr std::size_t kManyStale = 16;

  struct Known {
    explicit Known(std::string text) : sql(std::move(text)) {}
    const std::string sql;
    wire::StatementReading reading;
    bool is_read = false;
    std::uint32_t uses = 0;
    std::string server_name;                   // empty: it is not prepared
    std::shared_ptr<const AnswerShape> shape;  // of its latest answer by a Dialogue
  };

  explicit StatementCache(SessionOptions options) : options_(std::move(options)) {}

  // Valid until the next call.
  Known& use(const std::string& sql);
  // Null: it is not known, or not any more. No use of it. Valid until the next use().
  Known* find(const std::string& sql);
  // True: the server has it prepared.
  bool is_ready(const std::string& sql);
  // Read it now if the options did not ask for that.
  const wire::StatementReading& reading_of(Known& known);
  // Whether this use is the one to prepare it, if it is not yet.
  bool is_worth_preparing(const Known& known) const;

  // A name that this session has not seen; with the label in it, for those who look at the server.
  std::string new_name(std::string_view label);
  void note_prepared(Known& known, std::string name) { known.server_name = std::move(name); }
  // The server has it no more.
  void note_lost(Known& known) { known.server_name.clear(); }
  // It has it, and it is of no use any more.
  void note_stale(Known& known);
  // A prepared one has failed. True: because of what the server has of it, or has not, and it will
  // be prepared again.
  bool note_refused(Known& known, std::string_view sqlstate);
  void note_stale_dropped() { stale_.clear(); }
  // The server has dropped all of them.
  void note_all_dropped();

  const std::vector<std::string>& stale() const { return stale_; }
  bool has_many_stale() const { return stale_.size() >= kManyStale; }
  const SessionOptions& options() const { return options_; }
  // Each text is read when it first comes, because the options ask for what is in it.
  bool reads_texts() const {
    return options_.reset == ResetMode::smart || options_.statement_cache != StatementCaching::off;
  }

 private:
  void bring_to_front(const std::string& sql);
  void make_room();

  const SessionOptions options_;
  std::list<Known> known_;  // the latest used first
  std::unordered_map<std::string_view, std::list<Known>::iterator> by_sql_;
  std::vector<std::string> stale_;
  std::uint64_t named_ = 0;
};

}  // namespace forebay::postgres
