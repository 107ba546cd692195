// What a server owes: pipelines, errors, and COPY, which swallows what lies in it.
#include "forebay/wire/protocol/pending_answers.hpp"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace forebay::wire {
namespace {

void send_all_types(PendingAnswers& pending, std::string_view types) {
  for (const char type : types) pending.sent(type);
}
// False: one of them was not owed. ReadyForQuery is 'Z', idle.
bool receive_all_types(PendingAnswers& pending, std::string_view types) {
  bool is_owed = true;
  for (const char type : types) is_owed = pending.received(type, type == 'Z' ? "I" : "") && is_owed;
  return is_owed;
}

struct TypesOfTalk {
  std::string sent;
  std::string received;
};

TEST(PendingAnswersTest, OrdinaryTalksEndIdle) {
  for (const TypesOfTalk& talk :
       {TypesOfTalk{"Q", "TDDCZ"}, TypesOfTalk{"Q", "IZ"}, TypesOfTalk{"Q", "EZ"},
        TypesOfTalk{"Q", "TDCTDEZ"}, TypesOfTalk{"F", "VZ"}, TypesOfTalk{"F", "EZ"},
        TypesOfTalk{"S", "Z"}, TypesOfTalk{"S", "EZ"}, TypesOfTalk{"PDBDECS", "1tT2TDDC3Z"},
        TypesOfTalk{"PDBES", "1tn2IZ"}, TypesOfTalk{"PBEES", "12DsDCZ"}, TypesOfTalk{"PBES", "EZ"},
        TypesOfTalk{"PBES", "1EZ"}, TypesOfTalk{"PBES", "12DEZ"},
        TypesOfTalk{"PBESPBES", "12CZ12CZ"}, TypesOfTalk{"PBESPBES", "EZ12CZ"},
        TypesOfTalk{"PBEPBES", "12CEZ"}, TypesOfTalk{"QQQ", "CZEZCZ"}, TypesOfTalk{"Q", "HddcCZ"},
        TypesOfTalk{"PBES", "12HddcCZ"}, TypesOfTalk{"Qddc", "GCZ"}, TypesOfTalk{"Qdf", "GEZ"},
        TypesOfTalk{"Qddc", "EZ"}, TypesOfTalk{"QdcQ", "EZTDCZ"}, TypesOfTalk{"Qdcdc", "GCGCZ"},
        TypesOfTalk{"Q", "NSATDCSNZA"},
        // The first Sync is swallowed by the COPY, the second is not.
        TypesOfTalk{"PBESdcS", "12GCZ"}, TypesOfTalk{"PBEdcS", "12GCZ"},
        TypesOfTalk{"PBEdfS", "12GEZ"}, TypesOfTalk{"PBEHdHcPBES", "12GC12CZ"}}) {
    PendingAnswers pending;
    send_all_types(pending, talk.sent);
    for (std::size_t place = 0; place < talk.received.size(); ++place) {
      const bool is_over = talk.received.find('Z', place) == std::string::npos;
      EXPECT_EQ(pending.is_idle(), is_over) << talk.sent << " " << talk.received << " " << place;
      EXPECT_TRUE(receive_all_types(pending, talk.received.substr(place, 1)))
          << talk.sent << " " << talk.received << " " << place;
    }
    EXPECT_TRUE(pending.is_idle()) << talk.sent << " " << talk.received;
    EXPECT_EQ(pending.copy(), PendingAnswers::Copy::none);
    EXPECT_EQ(pending.size(), 0u);
  }
}

TEST(PendingAnswersTest, AnsweredByFlushIsNotIdle) {
  PendingAnswers pending;
  send_all_types(pending, "PBEH");
  EXPECT_TRUE(receive_all_types(pending, "12DC"));
  EXPECT_EQ(pending.size(), 0u);
  EXPECT_FALSE(pending.is_idle());
  pending.sent('S');
  EXPECT_EQ(pending.current(), 'S');
  EXPECT_TRUE(receive_all_types(pending, "Z"));
  EXPECT_TRUE(pending.is_idle());
}

TEST(PendingAnswersTest, AfterAnErrorEverythingIsSkippedUpToASync) {
  PendingAnswers pending;
  send_all_types(pending, "PH");
  EXPECT_TRUE(receive_all_types(pending, "E"));
  send_all_types(pending, "BEQFc");
  EXPECT_EQ(pending.size(), 0u);
  EXPECT_FALSE(pending.is_idle());
  send_all_types(pending, "SQ");
  EXPECT_TRUE(receive_all_types(pending, "ZCZ"));
  EXPECT_TRUE(pending.is_idle());
}

TEST(PendingAnswersTest, ASyncInsideACopyThatFailsLeavesDoubt) {
  PendingAnswers pending;
  send_all_types(pending, "PBES");
  EXPECT_TRUE(receive_all_types(pending, "12G"));
  EXPECT_EQ(pending.copy(), PendingAnswers::Copy::in);
  send_all_types(pending, "ddcS");
  EXPECT_TRUE(receive_all_types(pending, "EZ"));
  EXPECT_FALSE(pending.is_certain());
  EXPECT_FALSE(pending.is_idle());
}

// Whether the server had read the first Sync when it failed, the answers to a later request show.
TEST(PendingAnswersTest, TheNextRequestEndsTheDoubtAboutASyncInsideACopy) {
  for (const TypesOfTalk& talk :
       {TypesOfTalk{"dcS", "EZ"}, TypesOfTalk{"dcS", "EZZ"}, TypesOfTalk{"SdcS", "EZ"},
        TypesOfTalk{"SdcS", "EZZ"}, TypesOfTalk{"SdcS", "EZZZ"}}) {
    for (const TypesOfTalk& next : {TypesOfTalk{"Q", "TDCZ"}, TypesOfTalk{"Q", "EZ"},
                                    TypesOfTalk{"PBES", "12CZ"}, TypesOfTalk{"SQ", "ZIZ"}}) {
      for (const bool is_sent_ahead : {false, true}) {
        PendingAnswers pending;
        send_all_types(pending, "PBES");
        EXPECT_TRUE(receive_all_types(pending, "12G"));
        send_all_types(pending, talk.sent);
        if (is_sent_ahead) send_all_types(pending, next.sent);
        EXPECT_TRUE(receive_all_types(pending, talk.received)) << talk.received;
        // Once every Sync has been answered there is no doubt either.
        const auto syncs = 1 + std::ranges::count(talk.sent, 'S');
        const bool is_each_answered = std::ranges::count(talk.received, 'Z') == syncs;
        if (!is_sent_ahead) {
          EXPECT_EQ(pending.is_certain(), is_each_answered) << talk.sent << talk.received;
          EXPECT_EQ(pending.is_idle(), is_each_answered) << talk.sent << talk.received;
          send_all_types(pending, next.sent);
        }
        EXPECT_TRUE(receive_all_types(pending, next.received)) << talk.received << next.sent;
        EXPECT_TRUE(pending.is_certain());
        EXPECT_TRUE(pending.is_idle()) << talk.sent << talk.received << next.sent;
      }
    }
  }
}

TEST(PendingAnswersTest, MoreReadyForQueryThanSyncsAreNoticed) {
  PendingAnswers pending;
  send_all_types(pending, "PBES");
  receive_all_types(pending, "12G");
  send_all_types(pending, "dcS");
  EXPECT_TRUE(receive_all_types(pending, "EZZ"));
  EXPECT_FALSE(receive_all_types(pending, "Z"));
  EXPECT_FALSE(pending.is_idle());
}

// The error is there before the client has ended its data.
TEST(PendingAnswersTest, ACopyThatFailsBeforeItsEndIsFollowed) {
  for (const std::string_view answers : {"Z", "ZZ"}) {
    PendingAnswers pending;
    send_all_types(pending, "PBES");
    EXPECT_TRUE(receive_all_types(pending, "12GE"));
    send_all_types(pending, "dcS");
    EXPECT_TRUE(receive_all_types(pending, answers));
    send_all_types(pending, "PBES");
    EXPECT_TRUE(receive_all_types(pending, "12CZ"));
    EXPECT_TRUE(pending.is_idle());
  }
}

// The first Sync ends the skipping, and the server ignores data that it does not read: every Sync
// is answered.
TEST(PendingAnswersTest, AnErrorBeforeTheCopyLeavesNoDoubt) {
  PendingAnswers pending;
  send_all_types(pending, "PBESdcS");
  EXPECT_TRUE(receive_all_types(pending, "EZ"));
  EXPECT_FALSE(pending.is_idle());
  EXPECT_TRUE(receive_all_types(pending, "Z"));
  EXPECT_TRUE(pending.is_idle());
}

// They are skipped, or not: it stays unknown which of them is answered.
TEST(PendingAnswersTest, RequestsBehindACopyThatFailsLeaveLastingDoubt) {
  for (const std::string_view more : {"dcPBES", "Qdc", "QScS"}) {
    PendingAnswers pending;
    send_all_types(pending, "PBES");
    EXPECT_TRUE(receive_all_types(pending, "12G"));
    send_all_types(pending, more);
    EXPECT_TRUE(receive_all_types(pending, "E"));
    send_all_types(pending, "SQ");
    receive_all_types(pending, "ZZTDCZ");
    EXPECT_FALSE(pending.is_certain()) << more;
    EXPECT_FALSE(pending.is_idle());
  }
}

TEST(PendingAnswersTest, WhatNobodyAskedForIsNoticed) {
  for (const TypesOfTalk& talk :
       {TypesOfTalk{"", "Z"}, TypesOfTalk{"", "E"}, TypesOfTalk{"", "D"}, TypesOfTalk{"Q", "1"},
        TypesOfTalk{"P", "2"}, TypesOfTalk{"S", "C"}, TypesOfTalk{"PS", "Z"}, TypesOfTalk{"Q", "d"},
        TypesOfTalk{"Q", "V"}, TypesOfTalk{"S", "G"}, TypesOfTalk{"Q", "CZZ"},
        TypesOfTalk{"Q", "GC"}}) {
    PendingAnswers pending;
    send_all_types(pending, talk.sent);
    EXPECT_FALSE(receive_all_types(pending, talk.received)) << talk.sent << " " << talk.received;
    EXPECT_FALSE(pending.is_idle());
  }
  PendingAnswers pending;
  pending.sent('Q');
  EXPECT_FALSE(pending.received('Z', "?"));
}

TEST(PendingAnswersTest, TheStatusIsTheServers) {
  PendingAnswers pending;
  send_all_types(pending, "QQ");
  EXPECT_TRUE(pending.received('Z', "T"));
  EXPECT_EQ(pending.transaction(), TransactionStatus::in_transaction);
  EXPECT_TRUE(pending.received('Z', "E"));
  EXPECT_EQ(pending.transaction(), TransactionStatus::failed);
}

// A pipeline that never ends is no reason to remember all of it.
TEST(PendingAnswersTest, WhatIsAnsweredIsForgotten) {
  PendingAnswers pending;
  send_all_types(pending, "PBES");
  for (int i = 0; i < 10'000; ++i) {
    send_all_types(pending, "PBES");
    ASSERT_TRUE(receive_all_types(pending, "12CZ"));
    ASSERT_EQ(pending.size(), 4u);
    ASSERT_LT(pending.kept(), 1'000u);
  }
  ASSERT_TRUE(receive_all_types(pending, "12CZ"));
  EXPECT_TRUE(pending.is_idle());
}

RC_GTEST_PROP(PendingAnswersProperty, AnyTalkIsFollowedOrNoticed, ()) {
  PendingAnswers pending;
  const auto steps = *rc::gen::container<std::vector<std::pair<bool, char>>>(
      rc::gen::pair(rc::gen::arbitrary<bool>(),
                    rc::gen::elementOf(std::string("QPBDECSFHXdcfTGHWICZ123tnsVNA"))));
  bool is_in_step = true;
  for (const auto& [is_sent, type] : steps) {
    if (is_sent) {
      pending.sent(type);
    } else {
      is_in_step = pending.received(type, "I") && is_in_step;
    }
    RC_ASSERT(is_in_step || !pending.is_idle());
    RC_ASSERT(!pending.is_idle() || pending.current() == '\0');
  }
}

}  // namespace
}  // namespace forebay::wire
