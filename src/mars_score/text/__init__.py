"""Texts: cleaning, words, sentences, and how frequent words are."""
