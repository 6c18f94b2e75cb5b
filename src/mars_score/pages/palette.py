"""The colours of page and figures, light and dark.

Systems have the colours of Okabe and Ito, which people with any colour vision can tell apart; shapes differ too.
Heat runs from vermilion over grey to blue, for the same reason.
"""

from __future__ import annotations

LIGHT = {
    "paper": "#ffffff",
    "raised": "#f5f6f8",
    "ink": "#1b1f24",
    "soft": "#58606b",
    "line": "#d5d9df",
    "accent": "#00588a",
    "best": "#e3f1fa",
    "warn": "#8a4b00",
    "written": "#fdeccb",
    "system-0": "#0072b2",
    "system-1": "#d55e00",
    "system-2": "#009e73",
    "system-3": "#b8578f",
    "system-4": "#b07900",
    "system-5": "#3a9bd9",
    "system-6": "#6b6b6b",
    "heat-0": "#c2500a",
    "heat-1": "#e07b3c",
    "heat-2": "#f0aa80",
    "heat-3": "#f7d8c6",
    "heat-4": "#eceef1",
    "heat-5": "#cfe2f1",
    "heat-6": "#98c4e4",
    "heat-7": "#4f98cb",
    "heat-8": "#0a6aa8",
    "on-heat": "#1b1f24",
    "on-strong-heat": "#ffffff",
}
DARK = {
    "paper": "#14171b",
    "raised": "#1d2126",
    "ink": "#e8eaed",
    "soft": "#a4acb7",
    "line": "#363c45",
    "accent": "#6fc0f5",
    "best": "#123650",
    "warn": "#f2b464",
    "written": "#4d3a12",
    "system-0": "#4fa9e6",
    "system-1": "#ff8b47",
    "system-2": "#2ec99c",
    "system-3": "#e59bc6",
    "system-4": "#f0bb45",
    "system-5": "#9ad8ff",
    "system-6": "#b5b5b5",
    "heat-0": "#d9692a",
    "heat-1": "#a9531f",
    "heat-2": "#74401f",
    "heat-3": "#4a3126",
    "heat-4": "#2b3036",
    "heat-5": "#20394d",
    "heat-6": "#1f4e72",
    "heat-7": "#22689a",
    "heat-8": "#2f86c4",
    "on-heat": "#e8eaed",
    "on-strong-heat": "#ffffff",
}
SYSTEM_COLOURS = 7
HEAT_STEPS = 9


def variables(colours: dict[str, str]) -> str:
    """Return colours as CSS variables."""
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())
