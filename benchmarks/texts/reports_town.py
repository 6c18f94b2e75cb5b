"""Four reports from the town: transport, work, a building, a museum."""

from __future__ import annotations

from .report import DAYS, MONTHS, TOWNS, Report

REPORTS_TOWN = (
    Report(
        (
            "A ferry will link {town} with the island of {island} again from {month}, {years} years after the last "
            "boat was sold, the harbour office said on {day}.",
            "The new vessel carries {capacity} passengers and thirty cars, and runs on batteries that are charged "
            "at the pier overnight.",
            "It will make six crossings a day in summer and three in winter.",
            "A single ticket is to cost nine euros, while children and islanders travel free of charge.",
            "{name} {surname}, who heads the harbour office, called the decision the most important one since the "
            "lighthouse was built.",
            '"People have been asking me for this boat since my first day in the job," {he} said.',
            "About four hundred people live on {island}, most of them from fishing, sheep and a few guest houses.",
            "Until now they have depended on a mail boat that leaves only when the sea is calm.",
            "Last winter the only shop on the island ran out of bread and diesel twice within a month.",
            "A doctor visits every second week, and anyone who falls seriously ill in between has to be flown out "
            "by helicopter.",
            "Not everyone is pleased with the new line, however.",
            "Owners of holiday homes fear that day trippers will crowd the beaches and leave their rubbish in the "
            "dunes.",
            "A group of bird lovers has asked for slower crossings in spring, when thousands of eiders nest close "
            "to the channel.",
            "{friend} {f_surname}, who runs the larger of the two guest houses, does not share these worries.",
            "{f_He} said that {f_his} rooms had been empty for most of the year and that every visitor was "
            "welcome.",
            "The shipyard has promised to deliver the boat four weeks before the first trip so that the crew can "
            "practise.",
            "If fewer than two hundred people a day use the line, the council will look at it again after three "
            "years.",
        ),
        {
            "town": TOWNS,
            "month": MONTHS,
            "day": DAYS,
            "island": ("Little Rona", "Hessel", "Fairholm", "Skarn"),
            "years": ("eleven", "nineteen", "thirty"),
            "capacity": ("ninety", "a hundred and twenty", "a hundred and fifty", "two hundred"),
        },
        (
            "A battery ferry will connect {town} and {island} from {month}, and islanders will no longer depend on "
            "a mail boat that needs calm weather.",
            "After {years} years, {town} is getting its ferry to {island} back. Islanders travel free, but some "
            "owners of holiday homes fear crowds.",
            "Boats will sail from {town} to {island} again up to six times a day, which pleases most islanders "
            "and worries bird lovers.",
        ),
    ),
    Report(
        (
            "Some {workers} workers at the {product} factory in {town} went back to their machines on {day} after a "
            "strike that had lasted {weeks} weeks.",
            "The union and the owners signed an agreement shortly before midnight, following a round of talks in a "
            "hotel near the station.",
            "Wages rise by four per cent at once and by another three per cent next year.",
            "In return, the workers accept that the plant will run on two Saturdays a month.",
            "The dispute began in {month}, when the management announced that the night shift would be closed.",
            "More than half of the staff walked out within a day, and trucks soon queued in front of the gates.",
            "Shops as far away as the coast reported empty shelves.",
            "{name} {surname}, who led the talks for the union, looked tired but content.",
            '"Nobody got everything, and that is usually the sign of a fair deal," {he} said at the gate.',
            "The company, which was founded by a watchmaker in 1911, has changed hands three times in ten years.",
            "Its latest owner, an investment fund, had threatened to move production abroad.",
            "That plan is now off the table until the end of the decade, according to the agreement.",
            "The mayor, {friend} {f_surname}, thanked both sides and said that the town had held its breath.",
            "One job in five in {town} depends on the factory, either directly or through its suppliers.",
            "During the strike, bakers had brought bread to the pickets every morning, and a brass band played on "
            "Sundays.",
            "Economists doubt that the peace will last.",
            "They point out that energy prices have doubled and that the machines in the main hall are thirty years "
            "old.",
            "A first meeting about new investments has been arranged for the autumn.",
        ),
        {
            "town": TOWNS,
            "month": MONTHS,
            "day": DAYS,
            "workers": ("six hundred", "nine hundred", "1,200", "1,500"),
            "weeks": ("three", "five", "seven"),
            "product": ("glass", "bicycle", "furniture", "tractor"),
        },
        (
            "The strike at the {product} factory in {town} is over after {weeks} weeks. Wages rise, and the staff "
            "will work two Saturdays a month.",
            "Workers at a {product} factory in {town} have ended their strike in return for higher pay, but "
            "economists doubt that peace will last.",
            "A deal between union and owners on {day} keeps the {product} factory in {town} running and rules out a "
            "move abroad for now.",
        ),
    ),
    Report(
        (
            "The indoor swimming pool of {town} will stay closed until at least {month}, because builders have found "
            "{problem} under its floor, the council announced on {day}.",
            "Repairs are now expected to cost {cost} million euros, twice as much as planned.",
            "The pool, a concrete hall with a curved roof from 1968, was supposed to open again after the summer.",
            "Workers came across the damage when they lifted the tiles around the diving basin.",
            '"At first we thought it was a small thing, but it was everywhere," said {name} {surname}, the '
            "engineer in charge.",
            "{He} added that nobody had been in danger at any time.",
            "For the three swimming clubs of the town the news is a heavy blow.",
            "Their two hundred young members have been travelling to a pool forty kilometres away since last year.",
            "Parents take turns to drive, and training often ends after nine in the evening.",
            "{friend} {f_surname}, a coach, fears that many children will give up.",
            '"A child who stops swimming at ten rarely comes back at twelve," {f_he} said.',
            "Schools are affected too, as no class has been able to offer swimming lessons for fourteen months.",
            "According to the rescue service, one in three pupils of the fourth grade cannot swim safely.",
            "Some members of the council would prefer to tear the building down.",
            "They argue that a new hall on the edge of the town would need only half the energy.",
            "Architects, on the other hand, praise the roof as a rare example of its kind and want it to be listed.",
            "A public meeting in the town hall will discuss both plans next week.",
            "Until a decision has been made, a heated tent over the outdoor basin is to bring some relief.",
        ),
        {
            "town": TOWNS,
            "month": MONTHS,
            "day": DAYS,
            "problem": ("rusted beams", "old asbestos pipes", "deep cracks", "a buried oil tank"),
            "cost": ("six", "eight", "eleven"),
        },
        (
            "Repairs to the pool of {town} will cost twice as much as planned, after {problem} turned up, and it "
            "stays shut until {month}.",
            "The discovery of {problem} keeps the swimming pool of {town} closed. Clubs and schools fear for a "
            "generation of young swimmers.",
            "The council of {town} must decide between an expensive repair of its pool, at {cost} million euros, "
            "and a new building.",
        ),
    ),
    Report(
        (
            "A small painting that hung in a corridor of the museum of {town} for {years} years is the work of a "
            "famous {school} master, experts confirmed on {day}.",
            "The picture, which shows {motif}, had been catalogued as a copy by an unknown pupil.",
            "A trainee noticed in {month} that the wood of the frame was far older than the label claimed.",
            "She told the director, {name} {surname}, who sent the panel to a laboratory.",
            "There, X-rays revealed a second figure under the paint and a signature in the lower corner.",
            "The dust in the cracks contained a blue pigment that was worth more than gold at the time.",
            '"I had walked past it every morning with my coffee," {surname} said.',
            "Dealers estimate that the picture would bring several million euros at an auction.",
            "The museum does not intend to sell it.",
            "It will be shown in a room of its own as soon as a new alarm system has been installed.",
            "How the painting came to {town} is still unclear.",
            "An inventory of 1893 lists it among the furniture of a merchant who died without heirs.",
            "Before that, its trail is lost in a port on the other side of the sea.",
            "{friend} {f_surname}, a historian at the university, is now reading the merchant's letters.",
            "{f_He} hopes to find out whether the picture was bought, given away or stolen.",
            "The town expects thousands of additional visitors, and the bakery next to the museum already sells a "
            "cake in the same shade of blue.",
            "The trainee, whose contract was about to end, has been offered a permanent post.",
        ),
        {
            "town": TOWNS,
            "month": MONTHS,
            "day": DAYS,
            "motif": ("a girl with a lemon", "a ship in a storm", "two old musicians", "a market in winter"),
            "school": ("Dutch", "Venetian", "Spanish"),
            "years": ("forty", "fifty-five", "sixty", "eighty", "ninety"),
        },
        (
            "A painting that hung unnoticed in the museum of {town} for {years} years was made by a {school} master, "
            "experts have confirmed.",
            "The museum of {town} has discovered that a supposed copy showing {motif} is genuine. It will keep the "
            "valuable picture and show it.",
            "Thanks to a curious trainee in {town}, a picture of {motif} has been recognised as the work of a famous "
            "{school} painter.",
        ),
    ),
)
