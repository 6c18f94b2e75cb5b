"""Masking a reference's unimportant words (section 2.1 and Appendix A)."""

from mars_score.masking.tagging import PatternTagger, SpacyTagger, Tag, Tagger
from mars_score.masking.templates import WordPlan, blocks, explain_words, make_templates
from mars_score.text.frequency import BackgroundIdf, CorpusIdf, Idf
from mars_score.text.words import Word, words

__all__ = [
    "BackgroundIdf",
    "CorpusIdf",
    "Idf",
    "PatternTagger",
    "SpacyTagger",
    "Tag",
    "Tagger",
    "Word",
    "WordPlan",
    "blocks",
    "explain_words",
    "make_templates",
    "words",
]
