"""Which names a server answers to."""

from __future__ import annotations

import ipaddress

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach a host."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def hosts_for(host: str) -> tuple[str, ...]:
    """Return the names that a request to this host may use.

    On the loopback these are few: a page of the web whose name is made to point here (DNS rebinding) is refused.
    Elsewhere any name may lead here; there a token is needed, which such a page does not have.
    """
    if not is_loopback(host):
        return ()
    return tuple(dict.fromkeys([*LOOPBACK, f"[{host}]" if ":" in host and "[" not in host else host]))


def name_of(host_header: str) -> str:
    """Return the name in a Host header, without its port."""
    name, colon, port = host_header.rpartition(":")
    return (name if colon and (port.isdecimal() or not port) else host_header).lower()
