#include "forebay/proxy/session/client_statements.hpp"

#include <algorithm>

#include "forebay/detail/base/check.hpp"

namespace forebay::proxy {
namespace {

// What an idle client may keep of the text of its unnamed statement's predecessors.
constexpr std::size_t kMostSpareChanges = 2;
// So many are over before they go behind the others, for the next ones: a client that always has
// something under way never comes to the end.
constexpr std::size_t kMostOver = 64;

}  // namespace

const StatementRef* ClientStatements::find(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &found->second;
}

std::string_view ClientStatements::name_of(std::uint64_t id) const {
  for (const auto& [name, statement] : names_)
    if (statement->id() == id) return name;
  return {};
}

ClientStatements::Change& ClientStatements::next_change() {
  if (end_ == changes_.size()) changes_.emplace_back();
  Change& change = changes_[end_++];
  change.before.clear();
  change.is_about_unnamed = false;
  return change;
}

void ClientStatements::save(Change& change, std::string_view name) {
  const auto found = names_.find(name);
  change.before.emplace_back(std::string(name),
                             found == names_.end() ? StatementRef() : found->second);
}

void ClientStatements::save_unnamed(Change& change) {
  change.is_about_unnamed = true;
  std::swap(change.unnamed, unnamed_);
  unnamed_.exists = false;
}

void ClientStatements::define(std::string_view name, StatementRef statement) {
  save(next_change(), name);
  names_.insert_or_assign(std::string(name), std::move(statement));
}

void ClientStatements::define_unnamed(std::string_view body, wire::StatementReading reading,
                                      std::uint64_t id) {
  save_unnamed(next_change());
  unnamed_.exists = true;
  unnamed_.id = id;
  unnamed_.body.assign(body);
  unnamed_.reading = std::move(reading);
}

void ClientStatements::drop(std::string_view name) {
  save(next_change(), name);
  if (const auto found = names_.find(name); found != names_.end()) names_.erase(found);
}

void ClientStatements::drop(const std::vector<std::string>& names) {
  Change& change = next_change();
  for (const std::string& name : names) {
    save(change, name);
    names_.erase(name);
  }
}

void ClientStatements::drop_unnamed() { save_unnamed(next_change()); }

void ClientStatements::drop_unnamed_too() {
  FOREBAY_CHECK(has_changes());
  save_unnamed(changes_[end_ - 1]);
}

void ClientStatements::drop_all() {
  Change& change = next_change();
  for (auto& [name, statement] : names_) change.before.emplace_back(name, std::move(statement));
  names_.clear();
}

void ClientStatements::keep_first() {
  FOREBAY_CHECK(has_changes());
  Change& change = changes_[begin_];
  change.before.clear();
  ++begin_;
  forget_those_over();
}

void ClientStatements::undo_first(std::size_t count, bool is_unnamed_gone) {
  FOREBAY_CHECK(count <= end_ - begin_);
  if (count == 0) return;
  if (is_unnamed_gone) changes_[begin_].unnamed.exists = false;
  for (std::size_t place = begin_ + count; place > begin_; --place) undo(place - 1);
  begin_ += count;
  forget_those_over();
}

void ClientStatements::forget_those_over() {
  if (has_changes() && (begin_ < kMostOver || begin_ < end_ / 2)) return;
  const auto at = [this](std::size_t place) {
    return changes_.begin() + static_cast<std::ptrdiff_t>(place);
  };
  if (has_changes()) std::rotate(at(0), at(begin_), at(end_));
  end_ -= begin_;
  begin_ = 0;
}

void ClientStatements::undo(std::size_t place) {
  Change& change = changes_[place];
  for (auto& [name, statement] : change.before) put_back(place, name, std::move(statement));
  change.before.clear();
  if (!change.is_about_unnamed) return;
  change.is_about_unnamed = false;
  for (std::size_t later = place + 1; later < end_; ++later) {
    if (!changes_[later].is_about_unnamed) continue;
    std::swap(changes_[later].unnamed, change.unnamed);
    return;
  }
  std::swap(unnamed_, change.unnamed);
}

// The first one after this place that remembers what the name was.
void ClientStatements::put_back(std::size_t place, std::string_view name, StatementRef statement) {
  for (std::size_t later = place + 1; later < end_; ++later) {
    for (auto& [other, before] : changes_[later].before) {
      if (other != name) continue;
      before = std::move(statement);
      return;
    }
  }
  if (statement) {
    names_.insert_or_assign(std::string(name), std::move(statement));
  } else if (const auto found = names_.find(name); found != names_.end()) {
    names_.erase(found);
  }
}

void ClientStatements::shrink() {
  if (has_changes()) return;
  if (changes_.size() > kMostSpareChanges) {
    changes_.resize(kMostSpareChanges);
    changes_.shrink_to_fit();
  }
}

}  // namespace forebay::proxy
