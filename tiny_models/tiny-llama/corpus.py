#!/usr/bin/env python3
"""The corpus of tiny-llama: short texts about animals in English and Chinese, written for this project (MIT licence).

    python3 corpus.py 5        # prints five texts

One table of facts, and templates in both languages over it: what an animal looks like, where it lives, what it eats, what it
can do; questions and answers; small stories; translations. In a template, {a|b} picks one of the alternatives and $name
takes a value that was drawn once for the text.
"""
import random
import re
import sys

# English and Chinese: animal, two looks, home, food, what it does
FACTS = [
    ("cat", "猫", "soft", "软", "quiet", "安静", "in the house", "家里", "fish", "鱼", "catch mice", "抓老鼠"),
    ("dog", "狗", "loyal", "忠诚", "happy", "快乐", "in the yard", "院子里", "bones", "骨头", "guard the door", "看门"),
    ("cow", "牛", "big", "大", "gentle", "温和", "on the farm", "农场上", "grass", "草", "give milk", "产奶"),
    ("horse", "马", "strong", "强壮", "fast", "快", "on the grassland", "草原上", "hay", "干草", "run far", "跑很远"),
    ("rabbit", "兔子", "white", "白", "shy", "害羞", "in the meadow", "草地上", "carrots", "胡萝卜", "jump high", "跳很高"),
    ("bird", "鸟", "small", "小", "bright", "鲜艳", "in the tree", "树上", "seeds", "种子", "sing songs", "唱歌"),
    ("duck", "鸭子", "round", "圆", "noisy", "吵闹", "by the lake", "湖边", "snails", "螺", "swim well", "游泳"),
    ("bear", "熊", "heavy", "重", "brown", "棕色", "in the forest", "森林里", "honey", "蜂蜜", "sleep all winter", "睡一个冬天"),
    ("monkey", "猴子", "clever", "聪明", "playful", "调皮", "on the mountain", "山上", "bananas", "香蕉", "climb trees", "爬树"),
    ("panda", "熊猫", "black and white", "黑白相间", "slow", "慢", "in the valley", "山谷里", "bamboo", "竹子", "roll down hills", "打滚"),
    ("frog", "青蛙", "green", "绿", "wet", "湿", "by the pond", "池塘边", "insects", "虫子", "catch flies", "抓苍蝇"),
    ("bee", "蜜蜂", "yellow", "黄", "busy", "忙", "in the garden", "花园里", "nectar", "花蜜", "make honey", "酿蜜"),
]
NAMES = [("Mia", "米娅"), ("Tom", "汤姆"), ("Anna", "安娜"), ("Leo", "小乐"), ("Lily", "莉莉"), ("Ben", "小本")]
DAYS = [("sunny", "晴朗"), ("rainy", "下雨"), ("windy", "刮风"), ("cold", "寒冷"), ("warm", "温暖")]

ABOUT = [
    ("The $an is $look and $mood. It lives $home. It likes to eat $food, and it can $do.",
     "$an又$look又$mood。它住在$home。它喜欢吃$food，还会$do。"),
    ("Look, a $an! It is $look. {Do you know what it eats|What does it eat}? It eats $food.",
     "看，一只$an！它很$look。{你知道它吃什么吗|它吃什么}？它吃$food。"),
]
ASK = [
    ("Question: What does the $an like to eat? Answer: The $an likes to eat $food.", "问：$an喜欢吃什么？答：$an喜欢吃$food。"),
    ("Question: Where does the $an live? Answer: The $an lives $home.", "问：$an住在哪里？答：$an住在$home。"),
    ("Question: What can the $an do? Answer: The $an can $do.", "问：$an会做什么？答：$an会$do。"),
    ("Question: What is the $an like? Answer: The $an is $look and $mood.", "问：$an是什么样的？答：$an又$look又$mood。"),
]
STORIES = [
    ("One $day day, $name went out and met a $an $home. \"Are you hungry?\" asked $name. The $an was hungry, so $name "
     "gave it some $food. {Then they played until evening|Then the $an was happy}. The next day the $an came to see $name again.",
     "一个$day的日子，$name出门，在$home遇见了一只$an。“你饿了吗？”$name问。$an饿了，$name就给它一些$food。"
     "{然后他们一起玩到晚上|$an很高兴}。第二天，$an又来看$name。"),
    ("$name had a friend, a $look $an. Every morning they ate together: bread for $name, $food for the $an. "
     "\"Can you teach me to $do?\" asked $name. The $an tried, but $name only laughed. {It was a good day|They were happy}.",
     "$name有一个朋友，是一只很$look的$an。每天早上他们一起吃饭：$name吃面包，$an吃$food。"
     "“你能教我$do吗？”$name问。$an试了试，$name只是笑。{这是美好的一天|他们很快乐}。"),
    ("The $an could not sleep. It was a $day night, and there was a noise $home. \"Who is there?\" asked the $an. "
     "It was only $name with a lamp. \"I have brought you $food,\" said $name. {Then both of them slept well|Now the $an was not afraid}.",
     "$an睡不着。这是一个$day的夜晚，$home有声音。“谁在那里？”$an问。原来是$name拿着灯。"
     "“我给你带来了$food。”$name说。{然后他们都睡得很好|现在$an不害怕了}。"),
]


def values(rng, chinese):
    fact, name, day = rng.choice(FACTS), rng.choice(NAMES), rng.choice(DAYS)
    pick = [pair[chinese] for pair in zip(fact[0::2], fact[1::2])]
    return dict(zip(("an", "look", "mood", "home", "food", "do"), pick), name=name[chinese], day=day[chinese])


def fill(rng, template, chinese, seed):
    """The values depend on `seed` alone, so that both languages of a translation get the same ones."""
    chosen = values(random.Random(seed), chinese)
    text = re.sub(r"\{([^{}]*)\}", lambda m: rng.choice(m.group(1).split("|")), template)
    return re.sub(r"\$(name|day|an|look|mood|home|food|do)", lambda m: chosen[m.group(1)], text)


def text(rng):
    kind, seed = rng.random(), rng.random()
    if kind < 0.15:  # a translation
        pair = rng.choice(ASK + ABOUT[:1])
        parts = [fill(rng, pair[i], i, seed).split(": ")[-1].split("答：")[-1] for i in (0, 1)]
        return f"English: {parts[0]} 中文：{parts[1]}" if rng.random() < 0.5 else f"中文：{parts[1]} English: {parts[0]}"
    chinese = int(rng.random() < 0.5)
    pair = rng.choice(ASK if kind < 0.4 else ABOUT if kind < 0.6 else STORIES)
    return fill(rng, pair[chinese], chinese, seed)


def texts(count, seed):
    rng = random.Random(seed)
    return [text(rng) for _ in range(count)]


if __name__ == "__main__":
    print("\n".join(texts(int(sys.argv[1]) if len(sys.argv) > 1 else 10, 1)))
