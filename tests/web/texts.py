# ruff: noqa: RUF001 (texts of other scripts)
"""Small texts in other languages and scripts, as rows: a context, a reference, a candidate."""

from __future__ import annotations

from mars_score.types import Example

BICYCLE = "اشترى سامي دراجة قديمة من السوق. كانت عجلتها الأمامية مكسورة."
RODE = ("أصلح سامي العجلة في المساء وركب الدراجة إلى البحر.",)
PIGEONS = "奶奶每天早上都去公园喂鸽子。昨天下大雨，她没有带伞。"
TEA = ("她全身湿透了，回家以后喝了一杯热茶。",)
ARABIC = "iPhone سامي كان معه حين أصلح العجلة وركب دراجته إلى البحر."
"""It opens with a word of another script, and yet begins on the right."""
CHINESE = "她淋湿了，回到家喝了热茶。"
JAPANESE = "濡れてしまい、家に帰ってお茶を飲みました。"
HINDI = "मीना ने पहिया सुधारा और साइकिल से नदी तक गई।"
ENGLISH = "قال means that somebody said something, and it is the first word of many a story."
"""It opens with a word of another script, and yet begins on the left."""
LANGUAGES = {ARABIC: "ar", CHINESE: "zh", JAPANESE: "ja", HINDI: "hi", ENGLISH: "en"}
ROWS = (
    Example("ar/a", ARABIC, RODE, BICYCLE),
    Example("ar/b", "القطة تنام على السرير.", RODE, BICYCLE),
    Example("zh/a", CHINESE, TEA, PIGEONS),
    Example(
        "ja/a", JAPANESE, ("ずぶ濡れになったので、家で熱いお茶を飲みました。",),
        "祖母は毎朝公園で鳩に餌をやります。昨日は大雨でしたが、傘を忘れました。",
    ),
    Example(
        "hi/a", HINDI, ("शाम को मीना ने पहिया ठीक किया और नदी तक साइकिल चलाई।",),
        "मीना ने बाज़ार से एक पुरानी साइकिल खरीदी। उसका अगला पहिया टूटा हुआ था।",
    ),
)  # fmt: skip
