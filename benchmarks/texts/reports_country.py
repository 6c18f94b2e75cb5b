"""Four reports from the country: weather, animals, a dig, a football match."""

from __future__ import annotations

from .report import DAYS, MONTHS, TOWNS, Report

REPORTS_COUNTRY = (
    Report(
        (
            "{storm} tore the roofs off dozens of houses near {town} on {day} night and left {homes} homes without "
            "electricity.",
            "Nobody was killed, but eleven people were treated for cuts and broken bones, the fire service said.",
            "Gusts of up to 150 kilometres an hour were measured on the hill above the valley.",
            "It was the worst weather that the district had seen in {month} since records began.",
            "Fallen trees blocked the main road for nine hours, and a freight train had to stop in a tunnel.",
            "Its driver walked three kilometres along the track to find a telephone that worked.",
            "In the village hall, volunteers served tea and soup to families who could not stay in their homes.",
            "{name} {surname}, a farmer, lost two barns and a greenhouse within a few minutes.",
            '"It sounded as if a plane were landing in the yard," {he} said, pointing at the sheets of tin in the '
            "apple trees.",
            "{His} cows had broken through a fence and were found grazing on the football pitch at dawn.",
            "Engineers from four counties are working to repair the power lines.",
            "The grid company hopes to reconnect most customers by tomorrow evening, although remote farms may have "
            "to wait until the weekend.",
            "Schools remain closed, and parents are asked to keep children away from damaged buildings.",
            "{friend} {f_surname}, who leads the local fire brigade, criticised the late warning.",
            "The alert had reached {f_him} only twenty minutes before the first gusts.",
            "The weather service replied that the storm had changed its course without notice over the sea.",
            "Insurers put the damage at more than thirty million euros.",
            "The government has promised quick help for households that were not insured.",
        ),
        {
            "town": TOWNS,
            "month": MONTHS,
            "day": DAYS,
            "storm": ("A violent storm", "A sudden tornado", "An Atlantic gale", "A fierce thunderstorm"),
            "homes": ("four thousand", "nine thousand", "twelve thousand"),
        },
        (
            "{storm} near {town} injured eleven people, damaged dozens of houses and left {homes} homes "
            "without power.",
            "After the storm that hit {town} on {day}, {homes} homes had no electricity, and the fire brigade "
            "complained about a late warning.",
            "Repairs are under way around {town}, where a storm with record gusts destroyed roofs and barns but "
            "killed nobody.",
        ),
    ),
    Report(
        (
            "For the first time in {years} years, {animals} have raised young on the river near {town}, "
            "conservationists reported on {day}.",
            "A camera that had been hidden in {month} shows a pair with {young} young ones at the water's edge.",
            "The animals disappeared from the region when its marshes were drained and the river was forced into a "
            "straight bed.",
            "Twelve years ago the authorities began to undo that work, one bend at a time.",
            "They bought meadows, removed two weirs and let the floods come back in spring.",
            '"We built the house and hoped that somebody would move in," said {name} {surname}, who runs the '
            "project.",
            "{He} did not expect to see a family there so soon.",
            "Where exactly they live remains a secret, because too many visitors could drive them away.",
            "Anglers in the area watch the return with mixed feelings.",
            "Their association says that the stocks of trout have only just recovered.",
            "Biologists answer that a healthy river feeds all of its inhabitants and that sick fish are caught "
            "first.",
            "A study of the last three seasons found no loss for the fishermen so far.",
            "Farmers whose fields border on the water receive compensation when these are flooded.",
            "{friend} {f_surname}, who keeps sheep there, gave up a third of {f_his} pasture.",
            "{f_He} says that the money is fair and that the mosquitoes are worse than before.",
            "Pupils of the local school have held a vote to find names for the young.",
            "If the winter is mild, the family may split up next year and settle farther upstream.",
            "The project will then need a second camera, and perhaps a second secret.",
        ),
        {
            "town": TOWNS,
            "month": MONTHS,
            "day": DAYS,
            "animals": ("otters", "ospreys", "night herons", "black storks"),
            "young": ("two", "three", "four"),
            "years": ("forty", "sixty", "seventy", "ninety"),
        },
        (
            "Conservationists near {town} have filmed {animals} with their young for the first time in {years} years, "
            "thanks to a restored river.",
            "After {years} years, {animals} are breeding near {town} again. Anglers are sceptical, but a study found "
            "no loss of fish.",
            "The river near {town} was given back its bends and floods, and now a pair of {animals} has raised "
            "{young} young ones there.",
        ),
    ),
    Report(
        (
            "Archaeologists have uncovered {find} beneath a {field} outside {town}, {depth} below the "
            "surface.",
            "The discovery, made in {month} but kept quiet until {day}, is thought to be more than two thousand years "
            "old.",
            "A farmer had complained for years that his plough struck something hard in the same place.",
            "When a gas pipe was to be laid across the land, the law required a closer look.",
            "What was meant to be a dig of two weeks has become one of the largest excavations in the country.",
            "So far the team has recovered beads, combs, a bronze mirror and the bones of several horses.",
            "The most unusual object is a wooden flute that still has all of its holes.",
            '"We measured it, we built a copy, and last night we played it," said {name} {surname}, who leads the '
            "work.",
            "{He} described the sound as soft and slightly out of tune.",
            "Wood usually rots within a century, but here it lay in wet clay that kept out the air.",
            "For the same reason every piece must stay in water until it can be treated.",
            "The laboratory in the capital has room for only a tenth of the finds.",
            "{friend} {f_surname} of the heritage office has therefore asked for a tent with large tanks on the "
            "site.",
            "Guards patrol the fences at night, since thieves with metal detectors were seen twice.",
            "The gas company, which loses money with every week of delay, has offered to move its pipe.",
            "Visitors will be admitted on Sundays, as long as the weather is dry.",
            "Each of them may try the copy of the flute, although so far only children have managed to play a tune.",
        ),
        {
            "town": TOWNS,
            "month": MONTHS,
            "day": DAYS,
            "find": ("a burial ground", "the walls of a temple", "an ancient village", "a ring of oak posts"),
            "field": ("beet field", "cornfield", "potato field"),
            "depth": ("half a metre", "less than a metre", "forty centimetres", "barely a metre"),
        },
        (
            "A dig outside {town} has brought to light {find}, more than two thousand years old, and a wooden flute "
            "that can be copied and played.",
            "Archaeologists have found {find} under a {field} near {town}. Wet clay preserved wooden objects, among "
            "them a complete flute.",
            "The planned course of a gas pipe near {town} led to the discovery of {find}, and the company may move "
            "its line.",
        ),
    ),
    Report(
        (
            "The footballers of {town}, who play in the fourth division, knocked {rival} out of the national cup on "
            "{day} with a goal in the last minute.",
            "{crowd} spectators, almost as many as the town has inhabitants, saw the match end two to one.",
            "The visitors, who have won the trophy five times, took the lead after only six minutes.",
            "They hit the post twice before the break and seemed to be playing with their hosts.",
            "In the second half, however, heavy rain turned the pitch into mud.",
            "Their goalkeeper slipped, and a harmless cross rolled over the line for the equaliser.",
            "The winner came from a substitute who delivers parcels during the week.",
            "He had been on the pitch for ninety seconds when a corner landed at his feet.",
            '"I closed my eyes and kicked, and then I heard the noise," he told reporters.',
            "The coach, {name} {surname}, had promised to walk to the next league match if {his} team won.",
            "That match takes place two hundred kilometres away, in the mountains.",
            "{He} said that {he} would start on Sunday and was grateful for good socks.",
            "The club will receive about half a million euros, more than its budget for three seasons.",
            "According to its president, {friend} {f_surname}, the money is to pay for floodlights and a youth "
            "team.",
            "Only part of the old stand, a wooden building from 1926, may be used by the public.",
            "The losing side left without a word, and its captain threw his shirt into a bin.",
            "A boy fished it out and has already refused an offer of four hundred euros.",
            "The draw for the quarter-finals will be held in {month}.",
        ),
        {
            "town": TOWNS,
            "month": MONTHS,
            "day": DAYS,
            "rival": ("the champions", "the league leaders", "last year's finalists", "the holders"),
            "crowd": ("Three thousand", "Four thousand", "Five thousand"),
        },
        (
            "A fourth-division team from {town} beat {rival} two to one in the cup with a goal in the last minute.",
            "The footballers of {town} have thrown {rival} out of the cup. Their coach must now walk two hundred "
            "kilometres to the next match.",
            "In heavy rain, a parcel carrier scored the late goal that took the small club of {town} past {rival} on "
            "{day}.",
        ),
    ),
)
