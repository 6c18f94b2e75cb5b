"""Where models are computed."""

from __future__ import annotations

from mars_score.errors import ConfigError

PROCESSOR = "cpu"


def check_device(name: str, option: str = "device") -> str:
    """Return a device's name; one that is not there is refused before any model is loaded."""
    if name == PROCESSOR:  # always there; to know of others torch is needed
        return name
    import torch

    try:
        # A number there and back: some devices exist by name and hold nothing.
        float(torch.ones(1, device=name).sum())
    # Each kind of device has errors of its own, of the libraries behind it too.
    except Exception as error:
        reason = (str(error).splitlines() or ["it is not there"])[0]
        raise ConfigError(
            f"{option} {name}: {reason}\n"
            "  remedy: leave the option out to use the processor, or install a torch that is built for this device"
        ) from error
    return name
