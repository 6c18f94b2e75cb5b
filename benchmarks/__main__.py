"""`make bench`: run every benchmark that needs nothing but the default models."""

from __future__ import annotations

from benchmarks import augment_speed

if __name__ == "__main__":
    augment_speed.main()
