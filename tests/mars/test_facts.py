"""Facts that neither context nor references bear out: found with their places, and none in an honest paraphrase."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.mars.facts import OPPOSITES, Sources

CONTEXT = (
    "Marta Lindgren runs a ferry between Askholm and the mainland. On Friday the engine failed with 43 people on "
    "board, among them twelve children. Tomas Berg threw her a rope from the pier at Askholm. The ferry will not "
    "sail again before Monday."
)
REFERENCE = "Marta Lindgren was towed into Askholm with 43 passengers after two hours."
SOURCES = Sources([CONTEXT, REFERENCE])


def kinds(candidate: str, sources: Sources = SOURCES) -> list[tuple[str, str]]:
    return [(fact.kind, fact.text) for fact in sources.unsupported(candidate)]


@pytest.mark.parametrize(
    "candidate",
    [
        CONTEXT,
        REFERENCE,
        "After its engine broke down, the ferry was pulled into Askholm.",
        "Forty-three people were on board when the engine failed, and 12 of them were children.",
        "The engine failed on Friday, and Marta Lindgren was helped by Tomas Berg.",
        "Lindgren's ferry stays in port until Monday.",
        "Today one passenger waited on the pier.",  # `one` is seldom a number
        "People waited for a rope.",
        "",
        " \n",
        "?!",
    ],
)
def test_what_the_sources_say_is_borne_out(candidate: str) -> None:
    assert kinds(candidate) == []


@pytest.mark.parametrize(
    ("candidate", "number"),
    [
        ("The ferry had 44 people on board.", "44"),
        ("There were thirteen children among them.", "thirteen"),
        ("It was towed for 2.5 hours.", "2.5"),
        ("It cost 1,200 crowns.", "1,200"),
    ],
)
def test_a_number_that_nobody_named(candidate: str, number: str) -> None:
    assert ("number", number) in kinds(candidate)


def test_a_number_is_the_same_in_digits_and_in_words_and_with_commas() -> None:
    sources = Sources(["The two mills burnt 1,200 tons in 1998."])
    assert kinds("In 1998 they needed 1200 tons for 2 mills.", sources) == []
    assert kinds("In 1998 they needed 1200 tons for three mills.", sources) == [("number", "three")]


def test_a_name_that_nobody_named() -> None:
    assert kinds("The ferry was towed by Henrik Berg.") == [("name", "Henrik")]
    assert "neither context nor references" in SOURCES.unsupported("They called Henrik.")[0].reason


def test_the_first_word_of_a_sentence_is_no_unknown_name() -> None:
    assert kinds("Passengers cheered. Later they slept.") == []


def test_a_name_where_the_sources_have_another() -> None:
    found = SOURCES.unsupported("Marta Lindgren threw her a rope from the pier at Askholm.")
    assert [(fact.text, fact.start, fact.end) for fact in found] == [("Marta", 0, 5), ("Lindgren", 6, 14)]
    assert [fact.reason for fact in found] == [
        f"where this stands, the sources have {name}" for name in ("Tomas", "Berg")
    ]
    assert {fact.kind for fact in found} == {"name"}


def test_without_any_name_in_the_sources_a_capital_says_nothing() -> None:
    assert kinds("they spoke to Henrik.", Sources(["a goat ate the hat"])) == []


@pytest.mark.parametrize(
    ("candidate", "place"),
    [
        ("The ferry will sail again before Monday.", "sail"),
        ("On Friday the engine never failed with people on board.", "never"),
        ("On Friday the engine didn\u2019t fail with people on board.", "didn\u2019t"),
    ],
)
def test_the_opposite_of_what_the_sources_say(candidate: str, place: str) -> None:
    (fact,) = SOURCES.unsupported(candidate)
    assert (fact.kind, fact.text) == ("negation", place)
    assert fact.reason.startswith("the sources say the opposite: ")
    assert fact.contradicts


def test_negated_twice_is_not_negated() -> None:
    assert kinds("On Friday nobody said that the engine had not failed with people on board.") == []
    assert kinds("The ferry will never sail again before Monday.") == []


def test_a_negation_about_something_else_is_no_finding() -> None:
    assert kinds("Nobody wanted to talk about the dinner afterwards.") == []


def test_facts_come_in_the_order_of_the_text() -> None:
    text = (
        "They met Henrik at noon. The ferry had 44 people on board. The ferry will sail again before Monday."
    )
    found = SOURCES.unsupported(text)
    assert [fact.kind for fact in found] == ["name", "number", "negation"]
    assert [fact.start for fact in found] == [text.index(word) for word in ("Henrik", "44", "sail")]


def contradicted(candidate: str, *sources: str) -> list[tuple[str, str, str]]:
    found = Sources(sources).unsupported(candidate)
    return [(fact.kind, fact.text, fact.reason) for fact in found if fact.contradicts]


@pytest.mark.parametrize(("candidate", "source", "text", "there"), [
    ("The pass costs 90 crowns.", "You pay 60 crowns.", "90", "60 crowns"),
    ("The red lamp was lit in 1931.", "The red lamp was lit in 1929.", "1931", "1929"),
    ("They closed Elm Street.", "Soon Mill Street is shut.", "Elm", "Mill Street"),
    ("They called Anna Berg.", "They ran to Tomas Berg.", "Anna", "Tomas Berg"),
    ("The red lamp of Lund was lit.", "The red lamp of Malmo was lit.", "Lund", "Malmo"),
])  # fmt: skip
def test_a_number_or_name_in_the_place_of_another_contradicts(
    candidate: str, source: str, text: str, there: str
) -> None:
    ((_, found, reason),) = contradicted(candidate, source)
    assert (found, reason) == (text, f"where this stands, the sources have {there}")


@pytest.mark.parametrize("candidate", [
    "It snowed for 90 days.",  # the sources say nothing of it
    "Later they met Henrik.",
    "Did the pass cost 90 crowns?",  # a question states nothing
])  # fmt: skip
def test_what_the_sources_are_silent_about_is_no_contradiction(candidate: str) -> None:
    source = "You pay 60 crowns for the pass, said Mara."
    assert contradicted(candidate, source) == []
    assert len(Sources([source]).unsupported(candidate)) == 1


@pytest.mark.parametrize(("candidate", "source", "found"), [
    ("The shop was closed all day.", "The shop was open all day.", [("closed", "open")]),
    ("It is sunny in Halden today.", "In Halden it is cloudy today.", [("sunny", "cloudy")]),
    ("The shop was not closed all day.", "The shop was open all day.", []),
    ("The shop was closed all day.", "The shop was not open all day.", []),
    ("The shop was closed all day.", "The shop was open, then closed all day.", []),
    ("The closed gate was painted.", "The shop was open all day.", []),
    ("Was the shop closed all day?", "The shop was open all day.", []),
])  # fmt: skip
def test_the_opposite_of_a_word(candidate: str, source: str, found: list[tuple[str, str]]) -> None:
    expected = [("opposite", word, f"the sources have {there}") for word, there in found]
    assert contradicted(candidate, source) == expected


def test_placeholders_name_nothing() -> None:
    assert kinds("Then [UNK] and [MALE] went to Askholm.") == []


def test_what_differs_in_many_words_says_something_else() -> None:
    source = "The red lamp by the window was for Anna."
    assert contradicted("The red lamp by the window belongs to Tomas now.", source) == []


def test_of_one_word_one_finding_is_told() -> None:
    source = "Anna will sail to Lund on Saturday."
    assert contradicted("Anna will sail to Lund on Sunday.", source) == [
        ("name", "Sunday", "where this stands, the sources have Saturday")
    ]


@pytest.mark.parametrize("candidate", [
    "No, the lamp snapped in the hall.",
    "Not only the lamp snapped in the hall.",
    "Nobody said that the lamp had not snapped in the hall.",
])  # fmt: skip
def test_negations_that_deny_nothing(candidate: str) -> None:
    assert [
        fact for fact in contradicted(candidate, "The lamp snapped in the hall.") if fact[1] != "Nobody"
    ] == []


def test_what_is_denied_is_the_word_that_follows() -> None:
    """A long sentence may be negated in another part; `and` ends what a negation denies."""
    source = "The lamp in the hall snapped, so do not be surprised by the dark."
    assert contradicted("The lamp in the hall snapped.", source) == []
    candidate = "She never sang and the lamp in the hall did not snap."
    ((kind, text, _),) = contradicted(candidate, source)
    assert (kind, text) == ("negation", "not")


def test_what_one_source_denies_and_another_says_contradicts_nothing() -> None:
    sources = "The lamp in the hall snapped.", "The lamp in the hall never snapped before."
    assert contradicted("The lamp in the hall did not snap.", *sources) == []


def test_words_exclude_each_other_mutually_and_never_themselves() -> None:
    for word, others in OPPOSITES.items():
        assert word not in others
        assert all(word in OPPOSITES[other] for other in others)


words = st.sampled_from(
    [
        "Marta",
        "Henrik",
        "44",
        "43",
        "not",
        "the",
        "ferry",
        "engine",
        "failed",
        ".",
        "Askholm",
        "open",
        "closed",
        "?",
        "\n",
        "  ",
        "isn't",
    ]
)
texts = st.lists(words, max_size=14).map(" ".join) | st.text(max_size=60)


@given(candidate=texts)
def test_offsets_are_those_of_the_text(candidate: str) -> None:
    for fact in SOURCES.unsupported(candidate):
        assert fact.text
        assert candidate[fact.start : fact.end] == fact.text


@given(source=texts, other=texts)
def test_a_copy_of_a_source_is_borne_out_whatever_the_others_say(source: str, other: str) -> None:
    assert Sources([other, source]).unsupported(source) == ()


def test_a_source_may_contradict_another() -> None:
    sources = Sources(["The red goat slept.", "The red goat never slept."])
    assert kinds("The red goat never slept.", sources) == kinds("The red goat slept.", sources) == []


def test_in_other_languages_digits_are_looked_up_and_english_words_are_not() -> None:
    french = Sources(["Le chat de Marta a mange 3 poissons."], "fr")
    assert kinds("Marta a vu 4 chats.", french) == [("number", "4")]
    assert kinds("Marta a vu six chats, no.", french) == []
    assert kinds("Le chat de Paula dort.", french) == [("name", "Paula")]


def test_german_nouns_are_no_names() -> None:
    german = Sources(["Die Katze von Marta sah 3 Fische im Teich."], "de")
    assert kinds("Die Katze von Marta mag den Garten.", german) == []
    assert kinds("Die Katze sah 7 Fische.", german) == [("number", "7")]
