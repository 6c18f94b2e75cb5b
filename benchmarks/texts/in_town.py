"""Ten outlines of stories that happen at work, at school and in the streets."""

from __future__ import annotations

from .outline import Outline

IN_TOWN = (
    Outline(
        "{name} had an interview {employer} at nine o'clock. On the way {he} bought a large coffee to wake up. "
        "{cause}, and most of it ended up on {his} {garment}. There was no time left to go home and change.",
        {
            "employer": ("at a bank", "with a newspaper", "at a museum", "with a publisher", "at a law firm"),
            "cause": ("The bus braked", "A cyclist hit {him}", "{He} tripped on a stone", "The lid came off"),
            "garment": ("white shirt", "pale blue suit", "best jacket"),
        },
        (
            "{name} joked about the stain and got the job.",
            "{name} kept {his} coat buttoned, although the room was as hot as an oven.",
            "A stranger saw the stain on {name}'s {garment} and lent {him} a scarf.",
            "The woman who interviewed {name} had spilled tea on herself that morning too.",
            "{name} washed the {garment} and arrived soaking wet.",
            "{name} did not get the job, but {he} gave up coffee for good.",
        ),
        (
            "{name} arrived early in a spotless {garment} and ordered another interview.",
            "{name} went home, slept until noon and changed the coffee.",
        ),
    ),
    Outline(
        "{name} rode {his} {bike} to {place} every day. On {day} {he} came out and found only the broken lock. "
        "The police wrote a report and gave {him} little hope. "
        "A week later {he} saw the same bicycle for sale on the internet.",
        {
            "place": ("work", "the university", "the swimming pool", "the train station", "choir practice"),
            "bike": ("red bicycle", "old racing bike", "mountain bike", "electric bike"),
            "day": ("Monday", "Thursday", "a rainy Tuesday"),
        },
        (
            "{name} met the seller and brought two officers along.",
            "{name} bought the {bike} back for a quarter of the price.",
            "The seller had been cheated as well and gave the {bike} back to {name}.",
            "{name} recognised the scratches and called the police.",
            "By the time {name} called, the {bike} had been sold to somebody else.",
            "{friend} pretended to be a buyer, and by noon {name} was riding home.",
        ),
        (
            "{name} was glad that nobody had ever stolen the {bike}.",
            "{name} sold the police report and learned to play the drums.",
        ),
    ),
    Outline(
        "{name} found {wallet:a} {place}. There were {money} in it, but no phone number. "
        "{His} own rent was due on Friday, and {his} account was empty. "
        "{He} sat down on a bench and counted the notes twice.",
        {
            "wallet": ("brown wallet", "leather wallet", "worn wallet", "old black wallet", "canvas wallet"),
            "place": ("on the bus", "under a cinema seat", "in front of the bakery", "at the playground"),
            "money": ("three hundred euros", "nearly five hundred pounds", "four hundred dollars"),
        },
        (
            "An old man came back to look for it, and {name} handed it over.",
            "{name} found an address on a library card and walked there straight away.",
            "Then {name} took the {wallet} to the police.",
            "{name} kept the money and slept badly for weeks.",
            "The owner was so grateful that he offered {name} a job in his shop.",
            "{name} put up a note with {his} number and waited for the owner to call.",
        ),
        (
            "{name} had lost the {wallet} years ago and never saw it again.",
            "{name} counted the benches and decided to paint them blue.",
        ),
    ),
    Outline(
        "{name} entered {his} {dish} in the contest at the {event}. "
        "{He} had changed {his} grandmother's recipe a little by adding {extra}. "
        "The first judge tasted it and closed his eyes. The second judge put down her spoon and asked for water.",
        {
            "dish": ("fish soup", "bean stew", "pumpkin soup", "goulash", "lentil curry"),
            "extra": ("smoked chilli", "dark chocolate", "fresh ginger", "a glass of beer"),
            "event": ("village fair", "town festival", "harbour market"),
        },
        (
            "Both of them gave {name} ten points and asked for a second bowl.",
            "{name} won the prize for the hottest {dish}.",
            "{name} came last, but the visitors to the {event} emptied the whole pot.",
            "{name} tasted the {dish} and found that {he} had put in far too much salt.",
            "{His} grandmother told {name} that the recipe had been perfect without {extra}.",
            "In the end {name} went home with second prize.",
        ),
        (
            "{name} had forgotten to cook, so the judges ate the spoons.",
            "Nobody tasted the {dish}, because {name} stayed at home that day.",
        ),
    ),
    Outline(
        "While clearing out the {room}, {name} discovered {book:a}. "
        "It belonged to the public library and was {years} years overdue. "
        "{He} worked out that the fine would be larger than {his} salary. "
        "With a red face {he} carried it to the front desk.",
        {
            "book": ("book about whales", "star atlas", "Russian novel", "old travel guide", "book on birds"),
            "years": ("nine", "fourteen", "twenty-two", "thirty"),
            "room": ("attic", "garage", "cellar"),
        },
        (
            "The librarian only laughed and thanked {name}.",
            "The librarian stamped the {book} and asked whether {name} had enjoyed it.",
            "{name} paid half of the fine and promised to read to the children on Saturdays.",
            "It was the last copy in the country, and the library thanked {name} for it.",
            "{name} put the {book} down and ran out.",
            "The librarian was {friend}, who had been at school with {name} and turned a blind eye.",
        ),
        (
            "{name} borrowed the {room} for another week and paid with a whale.",
            "{name} was angry that the library had never lent {him} a single book.",
        ),
    ),
    Outline(
        "For months {name} had been getting headaches {occasion}. {friend} told {him} to have {his} eyes tested. "
        "{He} did not want glasses, because {reason}. "
        "In the end {he} chose a {frame} pair and put it on in the shop.",
        {
            "frame": ("round", "bright red", "thin golden", "dark green", "plain black"),
            "occasion": ("in the evening", "at work", "while reading", "in front of the computer"),
            "reason": (
                *("{he} was afraid of looking old", "people might make fun of {him}"),
                "{his} sister had hated hers",
            ),
        },
        (
            "{name} could read every sign in the street.",
            "The headaches went away, and {friend} said that the {frame} pair suited {name}.",
            "{name} was amazed at how sharp the trees were.",
            "On the way home {name} walked into a lamp post and broke them.",
            "{name} wore the {frame} glasses for a day and then hid them in a drawer.",
            "{name} thanked {friend} and wondered why {he} had waited so long.",
        ),
        (
            "{name} was sorry that the shop had sold only {frame} headaches.",
            "{name} could see less than before, so {friend} tested the street.",
        ),
    ),
    Outline(
        "{name} had the smallest part in the {play}. {He} only had to {action} and say one line. "
        "On opening night the hall was full, and {his} {family} sat in the front row. "
        "When {his} turn came, {he} could not remember a single word.",
        {
            "action": ("open a door", "hold a lantern", "deliver a letter", "sweep the floor", "ring a bell"),
            "play": ("school play", "Christmas play", "spring musical", "village opera"),
            "family": ("parents", "grandparents", "cousins"),
        },
        (
            "{friend} whispered the line from behind the curtain, and {name} shouted it out.",
            "{name} bowed so deeply that everyone thought it was part of the {play}.",
            "{name} made up a new line, and everyone clapped.",
            "After a long silence {name} began to sing.",
            "{name} ran off the stage, but {his} {family} were proud of {him} anyway.",
            "{name} smiled at {his} {family}, took a breath, and the words came back.",
        ),
        (
            "{name} spoke for an hour and knew every word of the long part by heart.",
            "{name} sat in the front row and watched {his} {family} {action}.",
        ),
    ),
    Outline(
        "{name} painted pictures of {subject} and sold them {market}. "
        "For {time} nobody had bought a single one. "
        "One day a woman in {coat:a} stopped and looked at them for a long time. "
        "She asked {name} how much all of them would cost.",
        {
            "subject": ("the harbour", "{his} cats", "old tractors", "the mountains", "empty streets"),
            "market": ("at the weekly market", "on the pier", "in the town square", "at the craft fair"),
            "coat": ("grey coat", "long raincoat", "elegant coat"),
            "time": ("weeks", "months", "a whole summer", "half a year", "ten days", "a month", "six weeks"),
        },
        (
            "{name} named a price, and the woman paid at once.",
            "She owned a gallery in the capital and gave {name} {his} first exhibition.",
            "{name} was so surprised that {he} gave the woman one picture for nothing.",
            "{name} sold all of them but one.",
            "She hung the pictures of {subject} in her hotel and told everyone about {name}.",
            "{name} asked for too little, and a year later they were worth a fortune.",
        ),
        (
            "{name} explained that {he} had never held a brush in {his} life.",
            "{name} bought the {coat} and counted {subject} until the paint was empty.",
        ),
    ),
    Outline(
        "{name} was driving {his} taxi through the city on {night}. "
        "{passenger} got in and had to reach the {goal} as fast as possible. "
        "Halfway there the engine coughed twice and stopped. The passenger looked at the clock and turned pale.",
        {
            "passenger": ("A young doctor", "A cellist", "A bride in white", "An old professor", "A pilot"),
            "goal": ("airport", "hospital", "opera house", "courthouse"),
            "night": ("Christmas Eve", "a foggy night", "a hot evening"),
        },
        (
            "{name} waved down a colleague, and the passenger reached the {goal} just in time.",
            "{name} and the passenger ran the last mile to the {goal} side by side.",
            "A police car stopped and took both {name} and the passenger to the {goal}.",
            "{name} hit the engine, and it started again.",
            "They reached the {goal} an hour late, and {name} refused to take any money.",
            "{name} called another taxi and paid for it.",
        ),
        (
            "{name} drove on to the {goal} without a stop and arrived far too early.",
            "{name} asked the engine for its ticket and ate the clock.",
        ),
    ),
    Outline(
        "{name} took {number} children on a trip to the {museum}. "
        "{He} counted them at the entrance and again beside the {spot}. The second time one child was missing. "
        "{friend}, the other teacher, ran back through all the rooms to search.",
        {
            "spot": ("main staircase", "café", "cloakroom", "gift shop", "lift"),
            "museum": ("science museum", "old castle", "railway museum", "aquarium"),
            "number": ("twelve", "nineteen", "twenty-four"),
        },
        (
            "The next time {name} tied a red ribbon to every child's bag.",
            "A guard brought the boy back to {name} at last.",
            "{name} counted a third time and realised that one girl was hiding behind {him}.",
            "{friend} found the boy right beside the {spot}, and {name} could breathe again.",
            "{name} found the little boy asleep under a bench.",
            "The boy had stayed behind to draw, and {name} was too relieved to scold him.",
        ),
        (
            "{name} was pleased that all {number} children were standing in a neat row.",
            "{name} left the {museum} at home and taught {friend} how to dive.",
        ),
    ),
)
