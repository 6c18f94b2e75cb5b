"""Ten outlines of stories that happen at home."""

from __future__ import annotations

from .outline import Outline

AT_HOME = (
    Outline(
        "{name} decided to bake {food:a} for {guests}. {He} had never used the old oven in {his} flat before. "
        "While it was baking, {he} {distraction} and forgot the time. "
        "Soon the whole kitchen was full of thick grey smoke.",
        {
            "food": ("cherry pie", "apple tart", "lemon cake", "honey loaf", "onion quiche"),
            "guests": ("{his} new neighbours", "the school fair", "{his} mother's birthday", "the office"),
            "distraction": ("took a long phone call", "lay down on the sofa", "opened a detective novel"),
        },
        (
            "{name} scraped the black {food} into the bin and drove to the bakery instead.",
            "The {food} was ruined, so {name} bought another one at the corner shop.",
            "{name} cut away the burnt crust and ate the rest.",
            "{name} laughed about it later, but {he} never left an oven alone again.",
            "A neighbour smelled the smoke and helped {name} to save half of the {food}.",
            "{name} opened the windows and started again from scratch.",
        ),
        (
            "{name} was proud of the perfect {food} and served it with cream.",
            "{name} had eaten the whole {food} before it ever went into the oven.",
        ),
    ),
    Outline(
        "{name} planted {crop} behind {his} house in {month}. "
        "Every evening {he} watered them and pulled out the weeds. "
        "One morning {he} saw that something had eaten half of the leaves. "
        "That night {he} waited {hideout} with a torch.",
        {
            "crop": ("tomatoes", "strawberries", "young lettuces", "sunflowers", "runner beans"),
            "month": ("April", "early May", "March", "the first week of June"),
            "hideout": ("behind the shed", "at the kitchen window", "under an old blanket"),
        },
        (
            "A fat rabbit hopped out of the hedge, so {name} built a fence at the weekend.",
            "{name} could not be angry when a deer and her fawn stepped between the {crop}.",
            "The thief was the neighbour's goat, and {name} got a cheese as an apology.",
            "{name} caught hundreds of snails before midnight.",
            "Nothing came, and {name} soon fell asleep.",
            "{name} saw two hares feasting on the {crop} and chased them down the road.",
        ),
        (
            "{name} sold all of the {crop} before planting them.",
            "The torch was hungry, and {name} watered it until the weekend.",
        ),
    ),
    Outline(
        "{name} was dusting the {room} while {his} {relative} was away. "
        "{His} elbow knocked {object:a} off the highest shelf. It broke into a dozen pieces on the stone floor. "
        "{name} knew that it had been a wedding present.",
        {
            "object": ("blue vase", "china elephant", "crystal bowl", "painted teapot", "antique clock"),
            "room": ("living room", "hall", "dining room", "study"),
            "relative": ("grandmother", "aunt", "mother"),
        },
        (
            "{name} glued the {object} together, but the cracks could still be seen.",
            "{name} told the truth, and {his} {relative} admitted that she had always hated the {object}.",
            "{name} searched every flea market in town until {he} found the same {object}.",
            "{His} {relative} only hugged {name} and swept up what was left of the {object}.",
            "{name} blamed the cat and felt guilty for years.",
            "{name} saved for months to replace the {object}.",
        ),
        (
            "{name} put the {object} back on the shelf without a scratch.",
            "{name} wrapped up the shelf and gave it to {his} {relative} as a birthday present.",
        ),
    ),
    Outline(
        "{weather} had been beating against the windows since {hour}. "
        "{name} was {activity} when all the lights went out. "
        "{He} felt {his} way to the drawer, but the candles were gone. "
        "Then somebody knocked on the front door three times.",
        {
            "activity": (
                *("writing a letter", "cooking soup", "knitting a scarf", "watching a film"),
                "ironing shirts",
            ),
            "weather": ("A violent storm", "A cold wind", "Heavy rain", "Hail"),
            "hour": ("noon", "the early evening", "four o'clock"),
        },
        (
            "It was {friend} from upstairs, who had brought {name} a lantern and a pot of tea.",
            "{name} opened the door and found {friend} standing there with a box of candles.",
            "Soon all the neighbours sat in {name}'s kitchen and told stories until midnight.",
            "{name} was too scared to open the door.",
            "The landlord said that a tree had hit the line, so {name} went to bed early.",
            "{name} let {friend} in, and they played cards by torchlight.",
        ),
        (
            "{name} was glad that the lights had stayed on all evening.",
            "Nobody had knocked, and {name} went on {activity} under the bright lamp.",
        ),
    ),
    Outline(
        "{name} stepped outside in {his} {clothes} to {errand}. The wind slammed the door shut behind {him}. "
        "{His} keys and {his} phone were lying on the kitchen table. {detail}, and {he} was starting to shiver.",
        {
            "errand": ("get the paper", "feed the birds", "find the cat", "water the roses", "empty the bin"),
            "clothes": ("pyjamas", "slippers", "bathrobe", "gym shorts"),
            "detail": ("It was snowing", "A light rain was falling", "The whole street was still dark"),
        },
        (
            "{name} climbed in through the bathroom window.",
            "{friend} across the street called a locksmith and lent {name} a warm coat.",
            "{name} sat on the steps until {friend} came home with the spare key.",
            "The locksmith needed ten seconds for the door and asked {name} for ninety euros.",
            "Since that morning {name} has kept a spare key under the flowerpot.",
            "Luckily, {name} had forgotten to lock the back door.",
        ),
        (
            "{name} took {his} keys out of {his} {clothes} and called {friend} on {his} phone.",
            "{name} sat down in the warm kitchen and drank a glass of milk.",
        ),
    ),
    Outline(
        "{name} wanted a new haircut before {event}. {His} hairdresser was {absent}, so {friend} offered to do it. "
        "{friend} had watched {number} videos and owned good scissors. "
        "After ten minutes {friend} went very quiet.",
        {
            "event": ("the class photo", "the wedding", "the interview", "the concert", "the big dance"),
            "absent": ("on holiday", "ill", "fully booked", "in hospital"),
            "number": ("two", "several", "a dozen"),
        },
        (
            "{name} looked into the mirror and decided to wear a hat for {event}.",
            "{name} shaved off the rest and liked it.",
            "To everyone's surprise, {name} got only compliments on the day of {event}.",
            "{friend} apologised and took {name} to an expensive salon the next day.",
            "{name} laughed and cut {friend}'s hair in return.",
            "{name} forgave {friend}, but nobody ever let them forget that haircut.",
        ),
        (
            "{name} had never met {friend} and went on growing {his} hair.",
            "{friend} swept the scissors into a bag and sold the floor to {name}.",
        ),
    ),
    Outline(
        "After {years} years, {name} was moving out of {his} flat in {city}. "
        "{He} had packed everything except {item} into boxes. "
        "The movers carried the last boxes down four flights of stairs. "
        "At the bottom, one of the boxes began to make a strange noise.",
        {
            "city": ("Leeds", "Porto", "Hamburg", "Toronto", "Lyon"),
            "years": ("two", "six", "eleven", "twenty"),
            "item": ("the kettle", "a mattress", "one chair"),
        },
        (
            "{name} opened it and found {his} cat sitting between the winter coats.",
            "It was only the radio, and {name} turned it up.",
            "{name} had packed {his} phone by mistake, and {friend} had been calling for an hour.",
            "{name} opened it and found {his} lost toy robot.",
            "The movers ran away, but {name} only had to switch off an alarm clock.",
            "{name} took it as a farewell from {city} and blew the house a kiss.",
        ),
        (
            "{name} unpacked the stairs and stayed in {city} as if nothing had happened.",
            "There were no boxes, because {name} had never lived in {city}.",
        ),
    ),
    Outline(
        "{name} bought {book:a} at {place}. Between the pages {he} found a letter from {year}. "
        "The envelope was addressed to a woman named Klara in the same town. "
        "It had a stamp on it, but nobody had ever opened it.",
        {
            "book": ("old cookbook", "worn atlas", "book of poems", "pocket dictionary", "illustrated guide"),
            "place": ("a flea market", "a church sale", "an auction", "the library sale"),
            "year": ("1943", "1958", "1961"),
        },
        (
            "{name} found Klara's granddaughter in the phone book and brought her the letter.",
            "{name} opened it and read it with tears in {his} eyes.",
            "{name} put it back into the {book}, because it was not meant for {him}.",
            "The town museum thanked {name} and put the letter in its next exhibition.",
            "{name} rang the bell at that address, and a very old lady opened the door.",
            "{name} framed it and hung it above {his} desk.",
        ),
        (
            "{name} had read the letter aloud to Klara every night since {year}.",
            "{name} put the town into an envelope and returned the {book} to the sea.",
        ),
    ),
    Outline(
        "Every {day} {name} played {game} with {his} grandfather. "
        "In {years} years {he} had never won a single game. "
        "This time the old man seemed tired and made a strange move. "
        "{name} looked at the board again and again and could not find the trick.",
        {
            "years": ("two", "three", "five", "seven", "ten"),
            "day": ("Sunday", "Friday evening", "Saturday", "Wednesday afternoon"),
            "game": ("chess", "draughts", "backgammon"),
        },
        (
            "{name} won at last, and {his} grandfather winked as he shook {his} hand.",
            "It was a trap after all, and {name} lost once more.",
            "{name} offered a draw and made some tea.",
            "{name} saw that the old man's hand was trembling and called the doctor.",
            "The old man laughed and told {name} that there was no trick this time.",
            "{name} won, and neither of them said a word.",
        ),
        (
            "{name} won for the hundredth time and was bored with {game}.",
            "{name} swam across the board before {his} grandfather could get up.",
        ),
    ),
    Outline(
        "Nobody had said a word about {name}'s {age} birthday. {His} {group} had talked about {topic} all day. "
        "In the evening {he} walked home alone and felt forgotten. "
        "The windows of {his} flat were dark, but the door was not locked.",
        {
            "age": ("thirtieth", "fortieth", "twenty-first", "sixtieth", "fiftieth"),
            "group": ("friends", "colleagues", "brothers", "teammates"),
            "topic": ("the weather", "football", "the elections"),
        },
        (
            "{name} switched on the light, and thirty people shouted at once.",
            "{His} {group} jumped out from behind the sofa with a huge cake for {name}.",
            "{name} called the police, who found balloons and a very embarrassed {friend}.",
            "{friend} was waiting for {name} with a cake.",
            "{name} nearly fainted when {his} {group} began to sing in the dark.",
            "A note told {name} to come up to the roof, where the party was waiting.",
        ),
        (
            "{name} remembered how loudly {his} {group} had sung for {him} that morning.",
            "{name} locked {topic} in the cellar and bought {friend} a bicycle.",
        ),
    ),
)
