"""The one place that holds the version. No signature and no key depends on it: see `fingerprint`."""

__version__ = "0.1.0"
