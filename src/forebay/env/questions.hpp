// Questions: what is asked of a source that is shared with others, by somebody who stops waiting
// for the answers when it closes.
//
// A source answers by its deadline and cannot be stopped before, so the question goes on without
// whoever asked: it refers to the source alone, and what comes too late is given back. A source
// therefore outlives not only those who ask it, but also what they have asked. Confined to the
// scheduler.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "forebay/base/error.hpp"
#include "forebay/base/intrusive_list.hpp"
#include "forebay/env/detached.hpp"

namespace forebay {

class Questions {
 public:
  explicit Questions(Scheduler& scheduler) : scheduler_(scheduler) {}

  // The answer; nothing: end() came first. `late` takes an answer that nobody waits for; without
  // it, the answer is destroyed.
  template <class T>
  Task<std::optional<Result<T>>> ask(Task<Result<T>> task, std::function<void(T&)> late = {}) {
    std::optional<Result<T>> answer;
    if (is_ended_) co_return answer;
    Question<T> question;
    follow(std::move(task), question, std::move(late)).frame.resume();
    Wait wait(*this, question, question.answer.has_value());
    co_await wait;
    if (question.follower != nullptr) question.follower->question = nullptr;
    answer = std::move(question.answer);
    co_return answer;
  }

  // Whoever waits goes on without an answer, and whoever asks from now on.
  void end() {
    is_ended_ = true;
    while (Asker* asker = waiting_.pop_front())
      scheduler_.post(std::exchange(asker->task, nullptr));
  }

 private:
  struct Asker {
    std::coroutine_handle<> task{};  // while it waits
    Questions* questions = nullptr;  // set when it has waited
    ListLink<Asker> link;
  };
  template <class T>
  struct Question;
  // Whoever awaits the source. The two know of each other until one of them is done.
  template <class T>
  struct Follower {
    explicit Follower(Question<T>& asked) : question(&asked) { asked.follower = this; }
    Question<T>* question;
  };
  template <class T>
  struct Question : Asker {
    Question() = default;
    Follower<T>* follower = nullptr;
    std::optional<Result<T>> answer;
  };

  class [[nodiscard]] Wait {
   public:
    Wait(Questions& questions, Asker& asker, bool is_answered)
        : questions_(questions), asker_(asker), is_answered_(is_answered) {}
    bool await_ready() const noexcept { return is_answered_ || questions_.is_ended_; }
    void await_suspend(std::coroutine_handle<> task) {
      asker_.task = task;
      asker_.questions = &questions_;
      questions_.waiting_.push_back(asker_);
    }
    void await_resume() const noexcept {}

   private:
    Questions& questions_;
    Asker& asker_;
    const bool is_answered_;
  };

  template <class T>
  static Detached follow(Task<Result<T>> task, Question<T>& asked, std::function<void(T&)> late) {
    Follower<T> self(asked);
    Result<T> answer = co_await std::move(task);
    Question<T>* const question = self.question;
    if (question == nullptr) {
      if (answer && late) late(*answer);
      co_return;
    }
    question->answer.emplace(std::move(answer));
    question->follower = nullptr;
    if (!question->task) co_return;  // it is not waiting yet, or not any more
    question->questions->waiting_.erase(*question);
    std::exchange(question->task, nullptr).resume();
  }

  Scheduler& scheduler_;
  IntrusiveList<Asker, &Asker::link> waiting_;
  bool is_ended_ = false;
};

}  // namespace forebay
