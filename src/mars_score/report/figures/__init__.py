"""Figures drawn by hand as SVG: one kind a file."""
