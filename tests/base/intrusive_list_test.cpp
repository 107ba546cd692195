// IntrusiveList against std::list, and the promises about where an element is.
#include "forebay/detail/base/intrusive_list.hpp"

#include <array>
#include <list>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace forebay {
namespace {

struct ListItem {
  int value = 0;
  ListLink<ListItem> link{};
  ListLink<ListItem> other_link{};
};

using ListItems = IntrusiveList<ListItem, &ListItem::link>;
using OtherItems = IntrusiveList<ListItem, &ListItem::other_link>;

std::vector<int> values(const ListItems& items) {
  std::vector<int> result;
  for (const ListItem* item = items.front(); item != nullptr; item = ListItems::next(*item)) {
    result.push_back(item->value);
  }
  return result;
}

TEST(IntrusiveListTest, ElementsComeOutInTheOrderTheyWentIn) {
  std::array<ListItem, 3> storage{ListItem{.value = 1}, ListItem{.value = 2}, ListItem{.value = 3}};
  ListItems items;
  for (ListItem& item : storage) items.push_back(item);

  const ListItem* first = items.pop_front();
  const ListItem* second = items.pop_front();
  const ListItem* third = items.pop_front();

  EXPECT_EQ(first, &storage[0]);
  EXPECT_EQ(second, &storage[1]);
  EXPECT_EQ(third, &storage[2]);
  EXPECT_EQ(items.pop_front(), nullptr);
}

TEST(IntrusiveListTest, AnElementIsInsertedBeforeItsSuccessor) {
  ListItem one{.value = 1};
  ListItem two{.value = 2};
  ListItem three{.value = 3};
  ListItems items;
  items.push_back(three);

  items.push_front(one);
  items.insert_before(&three, two);

  EXPECT_EQ(values(items), (std::vector{1, 2, 3}));
  EXPECT_EQ(items.back(), &three);
  while (items.pop_front() != nullptr) {
  }
}

TEST(IntrusiveListTest, AnElementKnowsTheListItIsIn) {
  ListItem item;
  ListItems one;
  ListItems two;

  one.push_back(item);

  EXPECT_TRUE(item.link.is_linked());
  EXPECT_TRUE(one.contains(item));
  EXPECT_FALSE(two.contains(item));
  one.erase(item);
  EXPECT_FALSE(item.link.is_linked());
}

TEST(IntrusiveListTest, AnElementCanBeInOneListPerLink) {
  ListItem item;
  ListItems items;
  OtherItems others;

  items.push_back(item);
  others.push_back(item);
  items.erase(item);

  EXPECT_TRUE(items.empty());
  EXPECT_EQ(others.front(), &item);
  others.erase(item);
}

TEST(IntrusiveListDeathTest, LinkingTwiceStopsTheProcess) {
  ListItem item;
  ListItems items;
  items.push_back(item);

  EXPECT_DEATH(items.push_back(item), "is_linked");

  items.erase(item);
}

TEST(IntrusiveListDeathTest, ErasingFromAnotherListStopsTheProcess) {
  ListItem item;
  ListItems items;
  ListItems others;
  items.push_back(item);

  EXPECT_DEATH(others.erase(item), "own.list == this");

  items.erase(item);
}

// Each command is a number: what to do, and to which of eight elements.
RC_GTEST_PROP(IntrusiveListProperty, BehavesLikeAStandardList,
              (const std::vector<std::uint8_t>& commands)) {
  std::array<ListItem, 8> storage;
  for (int index = 0; ListItem & item : storage) item.value = index++;
  ListItems items;
  std::list<int> model;

  for (const std::uint8_t command : commands) {
    ListItem& item = storage[command % 8u];
    if (items.contains(item)) {
      items.erase(item);
      model.remove(item.value);
    } else if (command < 128) {
      items.push_back(item);
      model.push_back(item.value);
    } else {
      items.push_front(item);
      model.push_front(item.value);
    }
    RC_ASSERT(values(items) == std::vector<int>(model.begin(), model.end()));
    RC_ASSERT(items.size() == model.size());
    // The inner parentheses keep the short circuit: RC_ASSERT overloads the operators.
    RC_ASSERT((items.empty() || items.back()->value == model.back()));
  }

  while (items.pop_front() != nullptr) {
  }
}

}  // namespace
}  // namespace forebay
