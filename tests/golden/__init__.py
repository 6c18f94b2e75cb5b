"""Recorded outputs of every metric and of 200 filled templates; tools/make_golden.py writes them."""
