"""Texts as vectors: sentence encoders and averaged word vectors."""
