#!/usr/bin/env python3
"""The corpus of tiny-stories: a grammar of short English stories, written for this project (MIT licence).

    python3 corpus.py 5        # prints five stories
    python3 corpus.py 20000 > corpus.txt

A story is made from one plot of PLOTS. In a plot, {a|b|c} picks one of the alternatives (they may nest) and
$name takes a value that was drawn once for the story, so that names, pronouns and things stay the same.
"""
import random
import re
import sys

GIRLS = ["Mia", "Lily", "Anna", "Rosa", "Ella", "Zoe", "Nina", "Lucy"]
BOYS = ["Tom", "Ben", "Max", "Leo", "Sam", "Jack", "Finn", "Omar"]
ANIMALS = ["dog", "cat", "duck", "mouse", "fox", "rabbit", "bear", "frog", "bird", "hedgehog", "goat", "turtle"]
PETS = ["Pip", "Dot", "Bun", "Toby", "Coco", "Rusty"]
FINDS = ["shiny key", "red button", "small box", "blue feather", "silver coin", "green bottle", "tiny shell",
         "wooden boat", "woollen mitten", "yellow ball"]
PLACES = ["forest", "village", "valley", "meadow", "harbour", "mountain"]
FOODS = ["bread", "soup", "cake", "honey", "apples", "berries"]
COLOURS = ["red", "blue", "green", "yellow", "white"]
KIND = ["kind", "brave", "clever", "gentle", "patient", "cheerful"]

ENDINGS = [
    "From that day on, they were the best of friends.",
    "And that was the best day of all.",
    "Everyone was happy and went home.",
    "Then they all had supper and went to bed.",
    "$A smiled all the way home.",
    "$A slept very well that night.",
    "It was a day that $A would never forget.",
    "And they laughed until the sun went down."]

PLOTS = {
    "lamb": """Once upon a time, there {was|lived} a {little|small|young} $animal {named|called} $pet.
        $pet lived {near the $place|in a small house by the river|under an old tree} and was very $kind.
        One {morning|day}, $pet {heard somebody crying|met a lost lamb}.
        "What is wrong?" asked $pet. "I cannot find my mother," said the {lamb|little lamb}.
        {So they walked over the hills together|So they went from door to door} until {the sun went down|the stars came out}.
        At last they found {her|the mother} {by the well|at the gate}, and everybody {cheered|danced}.
        {$pet was tired but very happy|From that day on, they were the best of friends}.""",
    "basket": """Once upon a time, there {was|lived} a {little|small|young} $animal {named|called} $pet.
        $pet {lived in the $place and was always hungry|was always hungry}.
        One {morning|day}, $pet found a basket full of $food.
        {"I will eat it all," said $pet. But then the others came and looked so sad
        |$pet wanted to share it, but nobody was there}.
        {So $pet called all the animals of the $place|So $pet put the basket on the table and opened the door}.
        They ate and sang until {the sun went down|the stars came out}.
        {There was nothing left for the next day, but $pet had many friends|And that was the best day of all}.""",
    "king": """{Once upon a time|Long ago|Long, long ago}, there was a {$ruler who had everything but a friend|$ruler who lived in a very big castle}.
        The castle was {cold and quiet|full of gold}, and the days were long.
        {One day a {poor boy|young girl} came to the gate with a basket of $food|One night there was a knock at the door}.
        {"Come in," said the $ruler. "Sit by my fire."|"Who is there?" asked the $ruler. "Only me," said a small voice.}
        They {ate and drank|played games|told stories} until {the morning|the candles went out}.
        {Then the $ruler opened all the doors of the castle, and it was never quiet again|After that, the $ruler was never lonely again}.""",
    "dog_lost": """The little {dog|puppy} {ran after a butterfly|had lost his bone}.
        He ran {down the lane|over the bridge} and {across the field|into the wood}.
        Soon he did not know the way home. He barked and barked, but nobody was there.
        Then {he saw a grey cat on the wall|a grey cat came out of the grass}. "Follow me," said the cat. "I know the way."
        {They walked for a long time, and the cat told him a story|They ran side by side under the moon}.
        At home there was a big bowl of {soup|meat}, and the dog gave half of it to the cat.""",
    "dog_play": """The little {dog|puppy} {wanted to play, but everyone was busy|sat by the door and waited}.
        He looked {under the table|behind the shed} and {in the garden|in the kitchen}.
        Then he heard a voice that he knew. "There you are!" called $A. "I was looking for you."
        The little dog {wagged his tail and jumped up|was so happy that he ran in a circle}.
        They played with the $colour ball until {it was dark|they were both tired}. That night the dog slept {by the fire|at the end of the bed}.""",
    "cannot_sleep": """The little {cat|duck|mouse|rabbit|bear|frog} {could not sleep|lay awake in the night}.
        "Go to sleep," said mother. But it was too loud outside.
        {So it went to the window and looked at the stars|So it went outside and sat by the pond}.
        {An old owl flew by and sang a quiet song|An old owl came and told a very long story}.
        Before it was over, the little one was asleep, and that night it had a very good dream.""",
    "see_world": """The little {cat|duck|mouse|rabbit|bear|frog} {wanted to see the world|was tired of the pond}.
        It packed a small bag and went out {early in the morning|when the sun came up}.
        On the way it met {a slow snail|a fat goose}, who {gave it some $food|showed it the way}.
        {It climbed a hill and saw the sea|It came to a town with many lights}.
        "The world is big," said the little one, "but home is best." In the evening it came home and {ate a lot|fell asleep at once}.""",
    "water": """The little {cat|duck|mouse|rabbit|bear} was afraid of the water.
        {The others swam and laughed|Every day the others played in the river}, but the little one sat in the grass.
        {"Try it," said mother. "I will hold you."|"One foot first," said an old frog, "and then the other."}
        Step by step it became braver. {Then it swam all the way to the other side|Then it jumped in, and the water was warm}.
        After that it was never afraid again.""",
    "found": """$A found a $thing {under the bed|on the beach|in the grass|on the way to school|behind the old wall}.
        {It was dirty, so $he washed it|$He held it up to the light|$He put it into $his pocket}.
        {"Can I keep it?" asked $A. "Somebody must be looking for it," said $his {mother|father|grandmother}.
        |$A asked {the baker|the teacher} and {the postman|all the neighbours}, but nobody knew whose it was.}
        {Then $article $other came along and was very sad. "I lost my $thing," said the $other.
        |At last $he saw a note on a door: "I lost my $thing. Please help me."}
        {$A gave it back, and they became friends|$A gave it back at once and got a {piece of cake|big hug} for it}.""",
    "garden_seed": """In the garden, {there was a tiny seed|$A planted a bean|a seed fell into the earth}.
        The sun was warm and the {earth was wet|wind was soft}.
        {"I am too small," said the seed. "Wait and see," said the old tree
        |Every day $A came with water and looked for a green leaf}.
        {One week went by, and then another|Day after day went by}.
        Then one morning there was a green leaf, and then another.
        {In the summer there was a big yellow flower, and the bees sang all day long|In the summer it was as high as the house}.""",
    "garden_snail": """In the garden, {a small snail was looking for a friend|there lived a snail who was very slow}.
        {"You are too slow for us," said the {bees|mice}|The {bees|mice} were always too fast for it}.
        It had rained all night, and {the leaves were wet|the path was like a river}.
        {Then the snail saw a beetle in the water|Then a little beetle fell into the water}. "Hold on to my house!" said the snail.
        Slowly, slowly, it carried the beetle to the dry grass. {From that day on, nobody laughed at the snail|Now the snail had a friend}.""",
    "rain_inside": """One rainy day, $A {stayed at home|could not go out|looked out of the window}.
        {The rain fell on the roof|The clouds were dark} and the wind was cold.
        "I have nothing to do," said $A. "{Let us build a {ship|house}|We can build a {ship|house}}," said $B.
        So they took all the {chairs|boxes} and {blankets|pillows}.
        {They played all afternoon and forgot the rain|They sailed over the sea and found an island}.
        {When the sun came out, there was a rainbow over the {houses|trees}|In the evening the rain stopped, but nobody wanted to go out}.""",
    "rain_animal": """One rainy day, $A {stayed at home|could not go out|looked out of the window}.
        {The rain fell on the roof|The clouds were dark} and the wind was cold.
        Then $he saw a wet $animal at the door. "You poor thing, come in!" said $A.
        $He dried it with a towel and gave it some {$food|warm milk}.
        {They sat by the fire and listened to the rain|It fell asleep on $his knees}.
        {When the sun came out, it ran away, but it came back the next day|After that, it came to the house every time it rained}.""",
    "clock_mouse": """The old clock {in the hall|on the wall|in the tower} {had stopped|was always late}.
        {Nobody knew what time it was|Everybody came too late for {school|supper}}.
        {"We need a new one," said {the people|father}|"Can you repair it?" asked mother}.
        But $A {climbed up the stairs|opened the little door} and looked inside. There was a {mouse|bird} asleep between the wheels.
        Very gently, $he carried it to a warmer place.
        Tick, tock, said the clock again, and {it was never late again|the whole house was glad}.""",
    "clock_tired": """The old clock {in the hall|on the wall|in the tower} was tired of its work.
        For a hundred years it had not slept. {"I will only close my eyes for a moment," it said|So one night it closed its eyes}.
        {The next morning nobody got up|The next morning everybody came too late for school}.
        Grandfather took a drop of oil and a small brush, and very slowly the wheels began to turn.
        Then it rang, loud and clear, and {it was happy to be needed|the whole house was glad}.""",
    "siblings_work": """$boy and his sister {built a house in a tree|made a boat out of wood|wanted to bake a cake}.
        {It took them all day|They worked very hard}, and {they were hungry|their hands were dirty}.
        "I want to be first!" said his sister. "No, me!" said $boy. They pulled and pushed until {it broke|it fell down}.
        "It is my fault," said $boy. "I am sorry." "Let us do it together," said his sister.
        So they {tried again|started once more}, and this time it was {perfect|much better}.
        {In the evening they showed it to their mother|At home, they told everybody about it}.""",
    "siblings_sea": """$boy and his sister {went to the sea|went to look for mushrooms}.
        They took a basket, some $food and a map.
        {The sun was hot and the way was long|They sang and laughed all the way}.
        {Then the map fell into the water|Then the wind took the map}. "Now we are lost," said {$boy|his sister}.
        But {an old woman with a donkey came by and showed them the way|they heard the bells of the village and walked that way}.
        At home, their mother had made {soup|pancakes}, and they told her everything.""",
    "moon": """At night the moon {looked down on the $place|was round and bright|came out from behind a cloud}.
        {All the children were asleep, and only the owl was awake|The houses were dark, but one small light was burning}.
        {"I am lonely," said the moon. "Come and play with me," said {a star|the wind}
        |$A stood at the window and waved. "Good night, moon," $he said}.
        They {danced over the hills|played with the clouds} until {the morning came|the birds woke up}.
        {Then the moon was tired and went to sleep behind the mountain|And in the morning nobody knew what they had done}.""",
    "dark": """$A was afraid of {the dark|the big dog next door|the first day of school}.
        {$His {mother|father} told $him, "You are braver than you think."|$He told nobody about it.}
        One day $B {took $his hand|came to visit}. "I was afraid too," said $B. "Look, we can go together."
        $A closed $his eyes and counted to ten. Then $he took one step, and then another.
        {And suddenly it was not so bad any more|It was not so bad at all}.
        {Now $A helps others who are afraid|$A was very proud, and the next day $he did it again}.""",
    "birthday": """It was $A's birthday, and {the house was full of friends|$he was {five|six|seven} years old}.
        There was a big cake with {$colour candles|berries on top}.
        {"Open it!" cried $B and gave $him a {small|big} box. In the box was a {$colour kite|little boat|book about {bears|stars}}
        |"Make a wish," said {grandmother|mother}. $A closed $his eyes and wished for a {$animal|friend}}.
        {$A was so happy that $he danced around the table|"It is just what I wanted," said $A}.
        They played in the garden until it was dark, and {even the dog|even the cat} got a piece of cake.""",
    "baker": """Every morning, the baker got up before the sun. He made the bread and {sang a song|whistled}.
        But one day he {overslept|was ill}. The people waited, nobody had any bread, and the street was quiet.
        "Where is he?" asked $A. "We must help him."
        So the children {made the bread|went to his house with some soup}.
        The next morning he was well again and {gave everyone a warm roll|sang louder than before}.""",
    "farmer": """Every morning, the {farmer|postman} {put on his hat|whistled} and went to work.
        But one day he could not find his {hat|keys}. He looked {under the bed|in the kitchen}, and then behind the house.
        "Can we help you?" asked {the children|$A and $B}.
        They looked everywhere, until {a goat came along with the {hat|keys}|they found the {hat|keys} in a nest}.
        "What would I do without you?" he said, and they all laughed.""",
    "kite": """$A had a $colour {kite|balloon} that could fly higher than the trees.
        But {one day the wind was too strong, and the string broke|then $he let it go for a moment, and up it went}.
        It flew over the {school|houses}, over the {river|fields} and into the clouds.
        {"Come back!" called $A, but it was gone|$A ran after it, but it was gone}.
        Far away, {a sick boy|a lonely girl} saw it come down and smiled for the first time in weeks.
        The next day a letter came. "Thank you for the present," it said. So it made two children happy.""",
    "snow_man": """{In the winter|One cold morning}, {everything was white|the snow was deep}.
        $A {put on a warm coat|took $his sledge} and called $B. They made a snowman with a carrot nose.
        "He looks cold," said $B, so they gave him a {hat|scarf}.
        At night the snowman {danced in the moonlight|told the birds a story}.
        {In the spring he was gone, and the birds had made a nest in his hat|In the spring he was gone, but they did not forget him}.""",
    "snow_animal": """{In the winter|One cold morning}, {everything was white|the lake was ice}.
        A small {mouse|rabbit|bird|fox} came out of the snow and looked for food, but there was nothing.
        $A saw it from the window and {put some $food on a plate|went out with some $food}.
        {At first it was shy|It looked at $him for a long time}. Then it ate everything.
        The next day it came back, and it was not alone.""",
    "train": """The {little train|old bus} {was slower than the others|had a new coat of $colour paint}.
        "You are too slow," said the {big|fast} ones. Every day it went up the hill and down again.
        But one day the snow was so deep that the big ones could not go on. "I will try," said the little one.
        {Slowly, slowly|Puffing and shaking}, it climbed the hill.
        Everyone cheered, and nobody laughed at it again.""",
    "boat": """The {small|little|old} boat wanted to see the sea. {But it lived on a river|But every day it only went over the river and back again}.
        One night {there was a storm, and the rope broke|the rope was not tied}. It went on and on, past {woods and fields|towns and bridges}.
        {"Where are you going?" asked the fish. "To the sea!" said the boat|The stars showed it the way}.
        And in the morning, there it was: the wide blue sea.""",
    "share": """$A and $B {both wanted the $colour ball|had only one {bicycle|piece of cake}|found a swing in the park}.
        "It is mine!" said $A. "No, it is mine!" said $B. They did not speak to each other all day.
        {"I am sorry," said $A. "So am I," said $B|Then $A had an idea. "Let us share it," $he said}.
        So each of them had {half|a turn}, and it was {enough|fun} for both.
        {They both laughed, and it was much nicer together|And they laughed until the sun went down}.""",
    "grandma_story": """$Grand told the best stories. $A sat by the fire and listened.
        "When I was small," said $grand, "there were {wolves in the woods|no cars at all}."
        {$A wanted to know more|$A wondered what that was like}. Outside it was cold, but the kitchen was warm.
        "One more story, please," said $A.
        Soon $his eyes closed, and $grand carried $him to bed.""",
    "grandma_bread": """$Grand {baked bread|made a cake} every {Sunday|Friday}, and $A helped as well as $he could.
        There was flour on the table and on $his nose.
        "How long does it take?" asked $A. "As long as a good story," said $grand.
        So $A heard a story about a {$animal|wolf} who {lived in the $place|could speak}.
        Then they ate warm bread with honey, and the cat purred under the table.""",
    "glasses": """$Grand was looking for the glasses. "Where can they be?"
        $A looked under the chair and {in the kitchen|on the table}. $B looked {in the garden|behind the clock}.
        {Even the dog helped|They looked all morning}.
        "Now I know!" said $A and began to laugh. They were on the nose of $grand!""",
    "sea": """{Far away|Deep down} in the sea, there {lived|was} a {small fish|young whale|shy crab} with a {$colour tail|big dream}.
        It wanted to see what was above the water. {"That is too far," said the others|But the others only laughed}.
        One day it met an old turtle with a {kind|wise} face. "Come up with me," said the turtle, "and do not be afraid."
        They swam up and up, and saw {the sun|a sky full of stars}.
        {After that it was never sad again|It told everybody what it had seen}.""",
    "net": """{Far away|Deep down} in the sea, there {lived|was} a {small fish|shy crab} who had no friends.
        The others {swam|played} together, but the little one hid behind a stone.
        One day a {net|shadow} came down from above. "Swim!" cried the little one. "Swim down here, to my cave!"
        They were all safe because of the little one. After that it was never alone.""",
    "learn": """$A wanted to {paint a picture of {the sea|a horse}|learn to swim|ride a bicycle|sing in front of the school}.
        {The first time it went wrong|The first time it did not work at all}.
        {"I cannot do it," said $A. "You cannot do it yet," said $B.|"That is not so easy," said $B. "Let me help you."}
        So $A tried again, and again. Every day $he got a little better.
        {One morning it was suddenly easy|Then one day it worked}.
        $end""",
    "walk": """{One day|One sunny morning|On Sunday}, $A went for a walk in the $place.
        {The birds were singing|The sky was blue} and the grass was green.
        {But the bridge was broken, and $he could not go on|Then $he saw a $thing on the other side of the river}.
        {$B came along and said, "Let us try together."|"Do not worry," said a friendly $animal. "I know another way."}
        {Together it was easy|Soon they were on the other side}. "Thank you!" said $A.
        $end""",
}
WEIGHTS = {"moon": 2, "found": 2, "lamb": 2}


def expand(rng, text):
    """Replaces the innermost {a|b|c} until none is left."""
    inner = re.compile(r"\{([^{}]*)\}")
    while inner.search(text):
        text = inner.sub(lambda m: rng.choice(m.group(1).split("|")), text)
    return text


def draw_names(rng):
    girl = rng.random() < 0.5
    a, b = rng.sample(GIRLS if girl else BOYS, 1)[0], rng.choice(BOYS if girl else GIRLS)
    he, his, him = ("she", "her", "her") if girl else ("he", "his", "him")
    grand = rng.choice(["grandmother", "grandfather"])
    article, other = rng.choice([("an", "old man"), ("a", "little boy"), ("a", "young woman")])
    return {
        "A": a, "B": b, "he": he, "his": his, "him": him, "He": he.title(), "His": his.title(),
        "animal": rng.choice(ANIMALS), "pet": rng.choice(PETS), "thing": rng.choice(FINDS), "place": rng.choice(PLACES),
        "food": rng.choice(FOODS), "colour": rng.choice(COLOURS), "kind": rng.choice(KIND),
        "boy": rng.choice(BOYS), "article": article, "other": other, "ruler": rng.choice(["king", "queen"]),
        "grand": grand, "Grand": grand.title(), "end": rng.choice(ENDINGS)}


def story(rng):
    kind = rng.choices(list(PLOTS), weights=[WEIGHTS.get(k, 1) for k in PLOTS])[0]
    names = draw_names(rng)
    text = PLOTS[kind]
    for _ in range(2):  # the ending that a plot draws has variables of its own
        text = re.sub(r"\$(\w+)", lambda m: names[m.group(1)], text)
    text = " ".join(expand(rng, text).split())
    text = re.sub(r"\s+([.,!?])", r"\1", text)
    text = re.sub(r'([.!?]"?)\.(?=\s|$)', r"\1", text)   # an alternative that ends in a full stop of its own
    return text


def stories(count, seed):
    rng = random.Random(seed)
    return [story(rng) for _ in range(count)]


if __name__ == "__main__":
    for text in stories(int(sys.argv[1]) if len(sys.argv) > 1 else 10, int(sys.argv[2]) if len(sys.argv) > 2 else 1):
        print(text)
