"""The signature: algorithms, settings and models that a score depends on, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.fingerprint import algorithm, joined

if TYPE_CHECKING:
    from mars_score.config import InfillingConfig, MarsConfig, MaskingConfig, ScoringConfig


LANGUAGE_RULES = "v2"
"""How languages are told and their words found: raised whenever that changes. English has no part in it."""


def signature(
    config: MarsConfig, *, lm: str, encoder: str, reader: str, tagger: str, idf: str, judge: str = ""
) -> str:
    """Join the parts. Models are given as name@hash; the rest is read off the configuration."""
    scoring = config.scoring
    parts = {
        "mars": algorithm(_stage(config), "score"),
        **augmentation_parts(config, lm=lm, tagger=tagger, idf=idf),
        "enc": encoder,
        "q": f"{_number(scoring.q)}",
        "refs": scoring.references,
        **_adjusting(scoring, reader, judge),
        **({"scale": algorithm("percent")} if scoring.scale == "percent" else {}),
        "dtype": f"{config.infilling.dtype}/{scoring.dtype}",
    }
    return joined(parts)


def on_percent_scale(signature: str) -> bool:
    """Whether scores of this signature go from 0 to 100."""
    return any(part.startswith("scale:percent") for part in signature.split("|"))


def _adjusting(scoring: ScoringConfig, reader: str, judge: str) -> dict[str, str]:
    """What goes beyond the paper's formula; what has no weight is not named."""
    weights = {
        f"words.{scoring.match}": scoring.words,
        "relevance": scoring.relevance,
        "fluency": scoring.fluency,
        "facts": scoring.facts,
        "likelihood": scoring.likelihood,
        "unlikely": scoring.unlikely,
    }
    named = [f"{name}{_number(weight)}" for name, weight in weights.items() if weight]
    named += ["cap"] if scoring.cap else []
    found = {"adjust": "+".join(named)} if named else {}
    found |= {"read": reader} if scoring.reads else {}
    return found | ({"likely": judge} if scoring.reads_likelihoods else {})


def augmentation_parts(config: MarsConfig, *, lm: str, tagger: str, idf: str) -> dict[str, str]:
    """The part that augmented references depend on."""
    masking, infilling = config.masking, config.infilling
    return {
        "ratios": "+".join(f"{_number(ratio)}" for ratio in (0.0, *masking.ratios)),
        **({} if masking.language == "en" else {"lang": f"{masking.language}.{LANGUAGE_RULES}"}),
        "mask": _masking(masking, tagger, idf),
        "lm": lm,
        "ctx": f"head{infilling.max_context}" if infilling.context else "none",
        **_filling(infilling),
    }


def augmentation_signature(config: MarsConfig, *, lm: str, tagger: str, idf: str) -> dict[str, str]:
    """All that an augmented reference depends on beside its texts: the parts that a fingerprint is made of."""
    return {
        "mars": algorithm(_stage(config)),
        **augmentation_parts(config, lm=lm, tagger=tagger, idf=idf),
        "dtype": config.infilling.dtype,
    }


def _stage(config: MarsConfig) -> str:
    """The algorithm that makes augmented references."""
    return "augment" if config.infilling.infiller == "guided" else "naive"


def _masking(masking: MaskingConfig, tagger: str, idf: str) -> str:
    alpha = "/".join(
        f"{_number(weight)}" for weight in (masking.adjective, masking.adverb, masking.noun, masking.other)
    )
    gaps = f".gaps{masking.merge_gaps}" if masking.merge_gaps else ""
    marks = ".marks" if masking.marks else ""
    keep = f".keep{masking.keep_words}" if masking.keep_words else ""
    return f"{tagger}.{alpha}.{idf}.lcs{masking.shared_cost}.max{masking.max_words}{gaps}{keep}{marks}"


def _filling(infilling: InfillingConfig) -> dict[str, str]:
    if infilling.infiller == "naive":
        return {"decode": "masked"}
    return {
        "plan": _planning(infilling),
        "judge": _judging(infilling),
        "decode": _decoding(infilling),
    }


def _judging(infilling: InfillingConfig) -> str:
    limits = f"s{infilling.sigma}.w{infilling.judge_window}"
    if infilling.search == "greedy":
        return f"{limits}.k{infilling.judge_keep}"
    rewards = f"sum{_number(infilling.token_reward)}+{_number(infilling.context_reward)}"
    seams = f".seam{_number(infilling.seam_weight)}" if infilling.seam_weight else ""
    return f"{limits}.{rewards}{seams}{'.revise' if infilling.revise else ''}"


def _planning(infilling: InfillingConfig) -> str:
    if infilling.planner == "off" or not infilling.steps or not infilling.eta:
        return "off"
    scope = f"next{infilling.horizon}" if infilling.horizon else "all"
    shortlist = f".top{infilling.shortlist}" if infilling.shortlist and infilling.planner == "hidden" else ""
    return (
        f"{infilling.planner}.{infilling.reward}.k{infilling.steps}.eta{_number(infilling.eta)}.xi{_number(infilling.xi)}"
        f".{scope}.decay{_number(infilling.decay)}{shortlist}{'.unplanned' if infilling.compare_unplanned else ''}"
    )


def _decoding(infilling: InfillingConfig) -> str:
    repeat = "norepeat" if infilling.no_repeat else "repeat"
    if infilling.search == "beam":
        samples = f".n{infilling.samples}" if infilling.samples > 1 else ""
        return f"beam{infilling.beams}.p{infilling.proposals}.s{infilling.strands}{samples}.{repeat}"
    if not infilling.temperature:
        return f"greedy.{repeat}"
    return f"t{_number(infilling.temperature)}.n{infilling.samples}.seed{infilling.seed}.{repeat}"


def _number(value: float) -> str:
    """A number as short as it can be without losing a digit."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
