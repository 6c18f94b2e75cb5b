"""Fetch axe-core, with which the tests look for what keeps people from reading a page; it is no part of the project.

    python tools/need_axe.py        fetches it by npm, unless it is here, and prints where it is

The version and the hash of its package are pinned.
"""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "4.14.0"
SHA512 = "9WTZxEjsZ7b13TH8JPmbV2z8CHbl80/2hm3XPEG4JgNdQLK81IBRXmSxHfMAOkSqQeRxT/0dwNDz2GOm3zzpcQ=="
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
SCRIPT = CACHE / "mars-score-tests" / f"axe-core-{VERSION}.min.js"


def fetch() -> None:
    """Put the script into the cache."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["npm", "pack", "--silent", f"axe-core@{VERSION}"],
            cwd=folder,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        (package,) = Path(folder).glob("*.tgz")
        found = base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()
        if found != SHA512:
            sys.exit(f"axe-core {VERSION}: the package's hash is {found}, not {SHA512}")
        with tarfile.open(package) as archive:
            member = archive.extractfile("package/axe.min.js")
            assert member is not None
            SCRIPT.parent.mkdir(parents=True, exist_ok=True)
            partial = SCRIPT.with_suffix(f".{os.getpid()}")
            partial.write_bytes(member.read())
            partial.replace(SCRIPT)


if __name__ == "__main__":
    if not SCRIPT.is_file():
        print(f"== fetching axe-core {VERSION} for the tests of pages")
        try:
            fetch()
        except FileNotFoundError:
            print("== no npm found; the tests that look for barriers with axe-core will fail without it")
        except subprocess.CalledProcessError as error:
            print(f"== axe-core cannot be fetched ({error}); tests that need it will fail")
