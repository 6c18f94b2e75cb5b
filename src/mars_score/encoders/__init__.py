"""Texts as vectors: sentence encoders, their single tokens, and averaged word vectors."""
