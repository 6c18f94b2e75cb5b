"""Every setting of the metric, as frozen data. A score is a function of its input and of this alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from mars_score.errors import ConfigError, did_you_mean

InfillerKind = Literal["guided", "naive"]
PlannerKind = Literal["hidden", "kv", "off"]
SearchKind = Literal["beam", "greedy"]
MatchKind = Literal["balanced", "recall", "either", "coverage"]
RewardKind = Literal["probability", "similarity"]
IdfSource = Literal["background", "corpus"]
_CODES = (
    "ar bg bn ca cs da de el en es fa fi fil fr he hi hu id is it ja ko lt lv mk ms nb nl pl pt ro ru sh sk sl sv ta "
    "th tr uk ur vi zh"
)
LANGUAGES = frozenset(_CODES.split())
"""Languages whose script and common words are known (docs/languages.md)."""
ENGLISH_TAGGERS = ("spacy-en-sm", "pattern")


@dataclass(frozen=True, slots=True)
class MaskingConfig:
    """Which words of a reference are masked (section 2.1 and Appendix A)."""

    ratios: tuple[float, ...] = (0.2, 0.4, 0.6)
    """Masking ratios above 0; the human reference itself (ratio 0) is always scored too."""
    adjective: float = 4.0
    """POS weights (alpha): words that carry detail are masked first."""
    adverb: float = 3.0
    noun: float = 2.0
    other: float = 1.0
    language: str = "en"
    """What references are written in: a code of `LANGUAGES`, or ``auto``, each reference's own. Word frequencies, words
    where there are no spaces, and the tagger go by it."""
    tagger: str = "spacy-en-sm"
    """A tagger of the model store, ``pattern`` (TextBlob; needs no data), or ``none``: all words weigh as `other`. So
    do the words of a reference in another language than the tagger's, and a flag says so."""
    idf: IdfSource = "background"
    """``background``: a fixed table, so that a score does not depend on the other rows; ``corpus``: the paper."""
    shared_cost: int = 10
    """Mask cost of a word on the longest common subsequence with the context; any other word costs 1."""
    max_words: int = 400
    """The tail of a longer reference is cut and flagged."""
    marks: bool = False
    """Whether punctuation may be masked, as any token in the paper. Kept marks hold sentences and brackets together."""
    merge_gaps: int = 1
    """Mask up to so many function words that are left between two blanks too, so that the blanks become one."""
    keep_words: int = 3
    """A ratio that would leave fewer words masks nothing: what is left of a short answer is no longer the answer."""

    @property
    def used_tagger(self) -> str:
        """The tagger, or ``none`` where it is an English one and the language another."""
        english = self.tagger in ENGLISH_TAGGERS and self.language not in ("en", "auto")
        return "none" if english else self.tagger


@dataclass(frozen=True, slots=True)
class InfillingConfig:
    """How blanks are filled (section 2.2 and Appendix B)."""

    infiller: InfillerKind = "guided"
    """``guided``: the paper's method; ``naive``: its baseline, a masked language model, to which of what follows
    only `context`, `max_context` and `dtype` apply."""
    masked_lm: str = "minilm-l6"
    """For ``naive``: the default encoder, which has a head for it, a Hugging Face id or a local folder."""
    lm: str = "smollm2-135m"
    """A model of the store, a Hugging Face id or a local folder."""
    context: bool = True
    """Whether the language model sees the context (the paper's ablation: no)."""
    max_context: int = 1024
    """Context tokens that are read; the tail of a longer context is cut and flagged."""
    planner: PlannerKind = "hidden"
    """``hidden``: update of the last hidden state in closed form; ``kv``: gradient through the cache; ``off``."""
    reward: RewardKind = "similarity"
    """``similarity``: of the expected next word to the future words; ``probability``: of the future words."""
    steps: int = 3
    """Updates per token (k)."""
    eta: float = 0.01
    """Length of one update, relative to the norm of what is updated."""
    xi: float = 1.3
    """Temperature of the policy inside an update."""
    horizon: int = 6
    """How many tokens of the next text block are rewarded; 0 rewards the text blocks that follow, all of them."""
    decay: float = 0.7
    """Each further rewarded token counts this much less."""
    shortlist: int = 256
    """Planning reorders this many most probable tokens (and the rewarded ones); 0 means the vocabulary."""
    compare_unplanned: bool = True
    """Grow the plain fill beside the planned one, and let the judge choose; the paper grows the planned one only."""
    search: SearchKind = "beam"
    """``beam``: a search for the most probable whole text; ``greedy``: one fill of each policy, its lengths judged by
    the mean likelihood, which is the paper's literal form."""
    beams: int = 4
    """For ``beam``: texts that stay in play, and the most that can be had for each ratio."""
    proposals: int = 24
    """For ``beam``: first tokens of a fill that each of these texts offers."""
    strands: int = 8
    """For ``beam``: fills that are grown for a blank, with a third as many by planning, and guesses that are judged."""
    token_reward: float = 1.5
    """For ``beam``: nats that each token of a fill is worth, up to as many tokens as were masked; 0 prefers short,
    safe fills."""
    context_reward: float = 1.5
    """For ``beam``: nats that each content word is worth that a fill brings in from the context."""
    seam_weight: float = 2.0
    """For ``beam``: the first three tokens after a blank, which tell whether the fill has led to them, count so much
    more than others."""
    revise: bool = False
    """For ``beam``: once all blanks are filled, try each again with the text to its right fixed. It costs nearly half
    as much again, for which a wider search finds more."""
    no_repeat: bool = True
    """Never write the same token twice in a row, or so many tokens that the text already has: two for ``greedy``,
    three for ``beam``."""
    sigma: int = 4
    """How many tokens longer than the masked text a fill may be."""
    judge_window: int = 4
    """How many tokens of the next block judge a length; 0 means the whole block (the paper). For ``beam``: how many
    prune the guesses, before the whole block decides."""
    judge_keep: int = 3
    """Only the best few lengths by the block's first token are judged by its window; 0 means all (the paper). For
    ``greedy``."""
    temperature: float = 0.0
    """0 is greedy; above 0, tokens are sampled with a seed of their own for each template."""
    samples: int = 1
    """Augmented references per ratio; more than 1 needs a temperature, or ``beam`` with as many beams."""
    seed: int = 0
    dtype: str = "float32"


@dataclass(frozen=True, slots=True)
class ScoringConfig:
    """How the candidate is compared (section 2.3)."""

    encoder: str = "minilm-l6"
    """A sentence encoder or word vectors of the store, a Hugging Face id or a local folder."""
    q: float = 0.8
    """Common ratio of the weights of ratios 0, 20%, 40%, ...; the weights sum to 1."""
    references: Literal["best", "mean"] = "best"
    """Several references: the best one counts, or the mean."""
    words: float = 0.7
    """The share of single words, matched by their states in context, beside the cosines of whole texts. This and
    the weights below are 0 in the paper's formula, preset ``paper-formula``; docs/accuracy.md has the reasons."""
    match: MatchKind = "coverage"
    """How precision and recall of single words are joined: ``balanced``, ``recall``, ``either``, or ``coverage``: the
    longer the reference, the more recall counts."""
    relevance: float = 0.8
    """Weight of closeness to the context, beside that of the references; half of it at references of ten words."""
    fluency: float = 0.2
    """Weight of words out of place, beyond the references' own."""
    facts: float = 0.1
    """What each number or name costs that neither context nor references have. What contradicts them, be it a number, a
    name, a negation or an opposite, costs 2.5 times as much; all of them at most 4 times."""
    likelihood: float = 0.25
    """Weight of how probable the language model finds the words after the context, beside the references. It has to
    read every candidate, which costs ten times as much as all the rest; preset ``fast`` does without."""
    unlikely: float = 0.0
    """Weight of being much less probable than every human reference, where the reader has no head for `fluency`."""
    cap: bool = True
    """No candidate scores above a copy of its best reference, however near it is to the context."""
    scale: Literal["raw", "percent"] = "raw"
    """``percent``: scores run from 0, an unrelated text, to 100, a copy of the best reference of the same item."""
    reader: str = "minilm-l6"
    """The encoder that reads single words, and, where `fluency` counts, their order: only the default has a head for
    that."""
    dtype: str = "float32"

    @property
    def adjusts(self) -> bool:
        """Whether anything is added to the paper's formula but single words."""
        return bool(self.relevance or self.fluency or self.facts)

    @property
    def reads(self) -> bool:
        """Whether the close reader is needed."""
        return bool(self.words or self.fluency)

    @property
    def reads_likelihoods(self) -> bool:
        """Whether the language model reads candidates."""
        return bool(self.likelihood or self.unlikely)


@dataclass(frozen=True, slots=True)
class MarsConfig:
    """The whole metric."""

    masking: MaskingConfig = field(default_factory=MaskingConfig)
    infilling: InfillingConfig = field(default_factory=InfillingConfig)
    scoring: ScoringConfig = field(default_factory=ScoringConfig)

    def __post_init__(self) -> None:
        _check(self)

    def with_options(self, **options: Any) -> MarsConfig:
        """Return a copy with options changed by their plain names, e.g. ``eta=0.01, q=1.0``."""
        parts: dict[str, dict[str, Any]] = {"masking": {}, "infilling": {}, "scoring": {}}
        for name, value in options.items():
            parts[_part_of(name)][name.split(".")[-1]] = value
        return MarsConfig(
            masking=replace(self.masking, **parts["masking"]),
            infilling=replace(self.infilling, **parts["infilling"]),
            scoring=replace(self.scoring, **parts["scoring"]),
        )


_PARTS = {"masking": MaskingConfig, "infilling": InfillingConfig, "scoring": ScoringConfig}


def option_names() -> dict[str, str]:
    """Return every option's plain name and the part it belongs to (``dtype``: the language model's)."""
    names: dict[str, str] = {}
    for part, kind in _PARTS.items():
        for item in fields(kind):
            names.setdefault(item.name, part)
            names[f"{part}.{item.name}"] = part
    return names


def _part_of(name: str) -> str:
    names = option_names()
    if name not in names:
        raise ConfigError(f"unknown option {name!r}.{did_you_mean(name, names)}")
    return names[name]


def ratios_up_to(maximum: float, step: float = 0.2) -> tuple[float, ...]:
    """Return the paper's ratios: steps of 20% up to the maximum (lambda_max)."""
    return tuple(round(step * (i + 1), 6) for i in range(int(maximum / step + 1e-9)))


def _check_types(config: MarsConfig) -> None:
    """Refuse a value of another type than the option's default, and numbers that are not finite."""
    for part in (config.masking, config.infilling, config.scoring):
        for item in fields(part):
            value = getattr(part, item.name)
            usual = item.default
            kinds = (int, float) if type(usual) is float else (type(usual),)
            numbers = value if isinstance(value, tuple) else (value,)
            finite = all(math.isfinite(number) for number in numbers if isinstance(number, float))
            if type(value) not in kinds or not finite:
                raise ConfigError(f"{item.name}={value!r}: expected a value like {usual!r}")


def _check(config: MarsConfig) -> None:
    """Refuse values that have no meaning, naming the option."""
    _check_types(config)
    masking, infilling, scoring = config.masking, config.infilling, config.scoring
    rules = {
        "ratios must rise and lie above 0 and at most 1": (
            all(0 < ratio <= 1 for ratio in masking.ratios) and list(masking.ratios) == sorted(set(masking.ratios))
        ),
        "adjective, adverb, noun and other must be above 0": (
            min(masking.adjective, masking.adverb, masking.noun, masking.other) > 0
        ),
        "shared_cost and max_words must be at least 1": min(masking.shared_cost, masking.max_words) >= 1,
        "merge_gaps and keep_words must not be negative": min(masking.merge_gaps, masking.keep_words) >= 0,
        f"language must be auto or one of {' '.join(sorted(LANGUAGES))}": masking.language in {"auto", *LANGUAGES},
        "idf must be background or corpus": masking.idf in ("background", "corpus"),
        "infiller must be guided or naive": infilling.infiller in ("guided", "naive"),
        "planner must be hidden, kv or off": infilling.planner in ("hidden", "kv", "off"),
        "reward must be probability or similarity": infilling.reward in ("probability", "similarity"),
        "steps, eta, horizon, shortlist, sigma, judge_window and judge_keep must not be negative": min(
            infilling.steps, infilling.eta, infilling.horizon, infilling.shortlist, infilling.sigma,
            infilling.judge_window, infilling.judge_keep,
        ) >= 0,
        "xi must be above 0": infilling.xi > 0,
        "decay must lie above 0 and at most 1": 0 < infilling.decay <= 1,
        "max_context must be at least 1": infilling.max_context >= 1,
        "temperature must not be negative": infilling.temperature >= 0,
        "search must be beam or greedy": infilling.search in ("beam", "greedy"),
        "beams, proposals and strands must be at least 1": (
            min(infilling.beams, infilling.proposals, infilling.strands) >= 1
        ),
        "token_reward, context_reward and seam_weight must not be negative": (
            min(infilling.token_reward, infilling.context_reward, infilling.seam_weight) >= 0
        ),
        "a temperature needs search=greedy": not infilling.temperature or infilling.search == "greedy",
        "samples must be at least 1, and above 1 only with a temperature or with as many beams": (
            infilling.samples == 1
            or (infilling.samples > 1 and infilling.temperature > 0)
            or (infilling.search == "beam" and 1 < infilling.samples <= infilling.beams)
        ),
        "q must lie above 0 and at most 1": 0 < scoring.q <= 1,
        "references must be best or mean": scoring.references in ("best", "mean"),
        "words must lie between 0 and 1": 0 <= scoring.words <= 1,
        "match must be balanced, recall, either or coverage": (
            scoring.match in ("balanced", "recall", "either", "coverage")
        ),
        "scale must be raw or percent": scoring.scale in ("raw", "percent"),
        "relevance, fluency, facts, likelihood and unlikely must not be negative": min(
            scoring.relevance, scoring.fluency, scoring.facts, scoring.likelihood, scoring.unlikely
        ) >= 0,
        "fluency and unlikely are two ways to notice the same: one of them must be 0": (
            not scoring.fluency or not scoring.unlikely
        ),
        "dtype must be float32, bfloat16 or float16": (
            {infilling.dtype, scoring.dtype} <= {"float32", "bfloat16", "float16"}
        ),
    }  # fmt: skip
    for rule, holds in rules.items():
        if not holds:
            raise ConfigError(rule)


FORMULA: dict[str, Any] = {
    "words": 0.0, "relevance": 0.0, "fluency": 0.0, "facts": 0.0, "likelihood": 0.0, "unlikely": 0.0,
    "cap": False,
}  # fmt: skip
"""The options that leave Eq. 7 and nothing else."""
PAPER_FORMULA = ScoringConfig(**FORMULA)

PRESETS: dict[str, MarsConfig] = {
    "general": MarsConfig(),
    # One formula for all; of the paper's tasks, only question answering has masking ratios of its own.
    "story": MarsConfig(),
    "summary": MarsConfig(),
    "qa": MarsConfig(masking=MaskingConfig(ratios=ratios_up_to(0.2))),
    # Needs no language model once references are augmented, so that a pack is enough.
    "fast": MarsConfig(scoring=ScoringConfig(likelihood=0.0)),
    "paper-formula": MarsConfig(scoring=PAPER_FORMULA),
    # No English model takes part: neither a tagger nor the head that reads the order of words, for which the writer's
    # reading stands in. Weights by docs/languages.md.
    "multilingual": MarsConfig(
        masking=MaskingConfig(language="auto", tagger="none"),
        infilling=InfillingConfig(lm="gemma3-270m"),
        scoring=ScoringConfig(
            encoder="embeddinggemma-300m",
            reader="embeddinggemma-300m",
            words=0.7,
            match="recall",
            fluency=0.0,
            facts=0.0,
            likelihood=0.05,
            unlikely=0.1,
        ),
    ),
    # The paper's models and its constants where they carry over; eta stays relative (see docs/architecture.md).
    "paper": MarsConfig(
        masking=MaskingConfig(ratios=ratios_up_to(0.6), idf="corpus", marks=True, merge_gaps=0, keep_words=0),
        infilling=InfillingConfig(
            lm="openai-community/gpt2-large",
            search="greedy",
            horizon=0,
            decay=1.0,
            shortlist=0,
            compare_unplanned=False,
            no_repeat=False,
            judge_window=0,
            judge_keep=0,
            max_context=900,
        ),
        scoring=replace(PAPER_FORMULA, encoder="sentence-transformers/all-roberta-large-v1"),
    ),
}
"""Settings by task; masking ratios of story, summary and QA are the paper's best (docs/accuracy.md has the rest)."""


def preset(name: str) -> MarsConfig:
    """Return a preset by name."""
    if name not in PRESETS:
        raise ConfigError(
            f"unknown preset {name!r}; there are {', '.join(PRESETS)}.{did_you_mean(name, PRESETS)}"
        )
    return PRESETS[name]
