"""Texts as such: cleaning, words, sentences, and how frequent words are."""
