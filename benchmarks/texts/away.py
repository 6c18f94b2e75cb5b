"""Ten outlines of stories that happen on the way, at the water and in the open."""

from __future__ import annotations

from .outline import Outline

AWAY = (
    Outline(
        "{name} was walking {his} {dog} {place}. Suddenly {noise} frightened the animal. "
        "It tore the lead out of {his} hand and disappeared in the dusk. "
        "{He} called for hours and put up posters with a photo.",
        {
            "place": ("along the river", "in the park", "in the woods", "by the station", "near the harbour"),
            "dog": ("old beagle", "little terrier", "brown poodle", "new puppy"),
            "noise": ("a loud firework", "the horn of a truck", "a clap of thunder"),
        },
        (
            "Two days later the {dog} was waiting for {name} at the front door.",
            "A boy recognised the {dog} from the poster and brought it back to {name}.",
            "{name} cried with relief when the vet called.",
            "At sunrise {name} heard barking and found the {dog} in a stranger's garden.",
            "{name} never saw the {dog} again.",
            "The {dog} only came out of the bushes when {name} opened a tin of sausages.",
        ),
        (
            "The {dog} had been sitting quietly beside {name} the whole time.",
            "{name} barked at the posters until they wagged their tails.",
        ),
    ),
    Outline(
        "{name} and {friend} went camping {place} for {duration}. "
        "They put up their tent in a hollow because it was out of the wind. "
        "In the middle of the night it began to rain heavily. "
        "{name} woke up and felt that {his} {item} was floating.",
        {
            "place": ("in the hills", "by a lake", "in a pine forest", "on an island", "near the coast"),
            "item": ("sleeping bag", "pillow", "left shoe", "backpack"),
            "duration": ("a long weekend", "three days", "a whole week"),
        },
        (
            "They spent the rest of the night in the car, and {name} laughed about {friend}'s wet hair.",
            "{name} and {friend} dragged the tent up the slope in their underwear.",
            "{friend} slept through it all until {name} carried {f_him} out.",
            "{name} swore that {he} would never camp again.",
            "A farmer saw their lamp and let {name} and {friend} sleep in his barn.",
            "In the morning {name} hung everything in the trees.",
        ),
        (
            "{name} was thirsty, because it had not rained for {duration}.",
            "{name} and {friend} folded the lake and put it into the {item}.",
        ),
    ),
    Outline(
        "{name} had studied {subject} for {time} to pass the final exam. "
        "On the morning of the exam {his} alarm did not ring. "
        "{He} woke up {late}, jumped on {his} bike and raced through the traffic. "
        "The door of the hall was just being closed.",
        {
            "subject": ("chemistry", "law", "Spanish", "anatomy", "statistics"),
            "time": ("six weeks", "the whole spring", "three months", "half a year"),
            "late": ("an hour late", "at ten to nine", "when the church bells rang"),
        },
        (
            "{name} put {his} foot in the door, and the professor let {him} in with a sigh.",
            "{name} had to wait until autumn to take the exam.",
            "{name} slipped in and got the best mark of all.",
            "{friend} had kept a seat for {name} and slid a pen across the table.",
            "{name} passed in {subject}, but {he} bought three alarm clocks that afternoon.",
            "{name} was so out of breath that {he} could not write {his} own name.",
        ),
        (
            "{name} had never heard of {subject} and had slept very well.",
            "{name} arrived a day early and opened the hall with {his} own key.",
        ),
    ),
    Outline(
        "{name} had trained for the {city} marathon all {season}. "
        "{He} wanted to finish in less than four hours. "
        "Ten kilometres before the end {his} {joint} began to hurt badly. "
        "{He} slowed down to a walk and watched the others pass {him}.",
        {
            "city": ("Vienna", "Boston", "Lisbon", "Rotterdam", "Nairobi"),
            "season": ("winter", "summer", "year", "spring"),
            "joint": ("left knee", "right ankle", "lower back"),
        },
        (
            "{friend} saw {name} from the pavement and walked the rest of the way with {him}.",
            "{name} crossed the line after six long hours.",
            "{name} sat down on the kerb and gave {his} water to another runner.",
            "{name} gritted {his} teeth, ran on and missed {his} goal by one minute.",
            "{friend} found {name} crying by the road and hugged {him}.",
            "{name} gave up that day, but {he} signed up for {city} again the next morning.",
        ),
        (
            "{name} won the race in two hours and said that nothing hurt.",
            "{name} took the {joint} off and mailed it back to {city}.",
        ),
    ),
    Outline(
        "{name} took the last train to {city} on {day}. Halfway there it stopped in the middle of a snowy field. "
        "The heating failed, and the passengers put on their coats. "
        "{name} had {food} for {his} family in {his} bag.",
        {
            "city": ("Graz", "Krakow", "Montreal", "Bergen", "Innsbruck"),
            "food": ("a large cake", "two jars of plum jam", "a basket of oranges", "a dozen cheese rolls"),
            "day": ("Christmas Eve", "New Year's Eve", "the coldest day of January"),
        },
        (
            "{name} shared everything with the people in the carriage.",
            "{name} arrived in {city} the next morning with an empty bag and nine new friends.",
            "{name} gave everything to an old couple and went hungry {himself}.",
            "A farmer rescued {name} and the others with his tractor.",
            "{name} hid the bag under the seat and felt ashamed until they reached {city}.",
            "{name} talked to a stranger named {friend} all night, and a year later they married.",
        ),
        (
            "{name} was glad to have taken the plane to {city} in the hot sun.",
            "{name} ate the snowy field and left {food} to the heating.",
        ),
    ),
    Outline(
        "{name} was {age} years old and still could not swim. "
        "{His} {group} laughed at {him} whenever they went to the {water}. "
        "In secret {he} took lessons with {friend} twice a week. "
        "On the first day of the holidays {he} walked to the edge of the water.",
        {
            "age": ("nine", "fifteen", "thirty", "fifty", "sixty-two"),
            "group": ("brothers", "cousins", "friends", "neighbours"),
            "water": ("lake", "beach", "pool"),
        },
        (
            "{name} dived in, and {his} {group} fell silent.",
            "{His} {group} stared as {name} swam a hundred metres without stopping.",
            "{name} took a deep breath and jumped.",
            "The water was freezing, and {name} came out faster than {he} had gone in.",
            "{name} swam only ten metres, but {his} {group} cheered all the same.",
            "{name} lost {his} nerve again, and {friend} promised to come along next time.",
        ),
        (
            "{name} had been a swimming champion since {he} was born.",
            "{name} taught the {water} to walk and laughed at {friend}.",
        ),
    ),
    Outline(
        "{name} went fishing with {his} {relative} {place}. "
        "They sat in the {boat} from dawn until noon without a single bite. "
        "{name} was just about to pack up the rods. "
        "Suddenly {his} line went tight and the rod bent like a bow.",
        {
            "place": ("on a quiet lake", "in the bay", "off the coast", "on a slow river", "near the dam"),
            "relative": ("uncle", "father", "godfather", "grandfather"),
            "boat": ("little boat", "old rowing boat", "rubber dinghy"),
        },
        (
            "{name} pulled a huge pike into the {boat}.",
            "{name} had caught a rusty bicycle, and {his} {relative} laughed until he cried.",
            "The line snapped, and {name} swore loudly.",
            "{name} let the fish go, because it was older than {his} {relative}.",
            "{His} {relative} grabbed {name} by the belt just before {he} went overboard.",
            "The fish pulled {name} and the {boat} halfway across the water before it tired.",
        ),
        (
            "{name} had caught forty fish that morning and wanted to sleep.",
            "{name} cooked the {boat} and gave the best piece to {his} {relative}.",
        ),
    ),
    Outline(
        "{name} was on the ferry to {island} {occasion}. {He} leaned over the railing to photograph {sight}. "
        "Somebody bumped into {him}, and {his} new phone slipped out of {his} fingers. "
        "{He} heard a splash and then a child laughing.",
        {
            "island": ("Gotland", "Corfu", "the Isle of Skye", "Madeira", "Texel"),
            "sight": ("the sunset", "a pair of dolphins", "an old lighthouse", "the white cliffs"),
            "occasion": ("for the first time", "with {friend}", "after a hard year"),
        },
        (
            "{name} wanted to jump after it, but a sailor held {him} by the collar.",
            "The child had thrown a stone, and the phone was lying safely at {name}'s feet.",
            "{name} stood at the railing and waved goodbye to three hundred photos.",
            "On {island} {name} bought a postcard of {sight} and learned to send letters again.",
            "A stranger had taken a picture of {sight} too and sent it to {name} later.",
            "{name} enjoyed a whole week without a phone.",
        ),
        (
            "{name} called {friend} on the phone and showed {f_him} the desert.",
            "{name} had left the phone at home, so the railing was delicious.",
        ),
    ),
    Outline(
        "For {his} birthday {name} got {toy:a} from {friend}. {He} took it to {place} to try it out. "
        "At first it rose quickly, but then a strong gust of wind carried it away. "
        "It came down on {landing}, far out of reach.",
        {
            "place": ("the park", "the beach", "a field outside town", "the school yard", "the old airfield"),
            "toy": ("small drone", "paper kite", "model plane", "toy helicopter"),
            "landing": ("the roof of a church", "the top of a pine", "a stranger's balcony"),
        },
        (
            "{name} and {friend} borrowed a ladder and got the {toy} back before dark.",
            "The fire brigade laughed, but they brought the {toy} down for {name}.",
            "{name} did not dare to tell {friend} and secretly bought another {toy}.",
            "In the night the wind turned, and {name} found the {toy} in a puddle.",
            "{name} had to leave the {toy} up there.",
            "{friend} climbed up and brought {name} the {toy}.",
        ),
        (
            "The {toy} never left the ground, and {name} gave it to {friend} unopened.",
            "{name} flew {friend} home and parked {landing} in the garage.",
        ),
    ),
    Outline(
        "{name} and {friend} wanted to reach the top of {mountain} before {hour}. "
        "Halfway up they left the path to {reason}. When they turned around, thick fog had covered everything. "
        "{friend} suggested waiting, but {name} was afraid of the cold night.",
        {
            "mountain": ("Eagle Peak", "Mount Arden", "the Grey Horn", "Ben Corrie", "the Bell Tower"),
            "reason": ("pick blueberries", "look at a waterfall", "photograph a goat", "take a short cut"),
            "hour": ("dark", "noon", "sunset"),
        },
        (
            "At last {name} saw the light of a hut.",
            "The fog lifted after an hour, and {name} saw that the path was ten steps away.",
            "{name} and {friend} shared one jacket and were found by a rescue team at dawn.",
            "{friend} found the path, and {name} kissed the signpost.",
            "{name} walked off alone and came back to {friend} in a perfect circle.",
            "They never saw the top of {mountain}, but {name} brought home a good story.",
        ),
        (
            "{name} sat on the sunny top of {mountain} and could see the sea.",
            "{name} sold the fog to {friend} and bought a pair of rabbits.",
        ),
    ),
)
