"""Charts drawn as SVG by Vega-Lite when the page is written, not when it is opened.

The page then needs no JavaScript: nothing to load or to go wrong, and it looks the same on screen, on paper and in a
mail. Vega's own libraries alone would be 0.9 MB of every page. Colours are the page's CSS variables, so charts turn
dark with it.
"""

from __future__ import annotations

import re
from typing import Any

Spec = dict[str, Any]

_ROLES = re.compile(r' (?:aria-roledescription|role|aria-hidden|pointer-events|class|xmlns|xmlns:xlink)="[^"]*"')
_HIDDEN = re.compile(
    r'<path(?: class="(?:background|foreground)")? aria-hidden="true"[^>]*? d="(?:M0,0h0v0h0Z)?"[^>]*/>'
)
_DIGITS = re.compile(r"(\d\.\d)\d+")
_FONT = re.compile(r' font-(?:family="[^"]*"|size="[^"]*"|weight="normal")')  # the page's style has them
_PLAIN = re.compile(r' opacity="1"| stroke-width="1"')
_TIP = re.compile(r'<(path|line|text|rect) aria-label="([^"]*)"([^>]*?)/>')
_TIP_TEXT = re.compile(r'<text aria-label="[^"]*"')
_CLIP = re.compile(r"(id=\"|url\(#)(clip|gradient_)")

MEASURED = 14  # pixels; the page shows texts at 12, because a reader's font may be wider than the one measured here

CONFIG: Spec = {
    "background": None,
    "font": "sans-serif",
    "aria": False,
    "view": {"stroke": None},
    "axis": {
        "labelColor": "var(--soft)",
        "titleColor": "var(--soft)",
        "titleFontWeight": "normal",
        "titleFontSize": MEASURED,
        "labelFontSize": MEASURED,
        "gridColor": "var(--line)",
        "domain": False,
        "ticks": False,
        "labelPadding": 6,
        "titlePadding": 8,
    },
    "axisBand": {"grid": False},
    "legend": {
        "labelColor": "var(--ink)",
        "labelFontSize": MEASURED,
        "titleColor": "var(--soft)",
        "orient": "top",
        "direction": "horizontal",
        "symbolStrokeWidth": 2,
        "symbolOpacity": 1,
        "title": None,
        "offset": 8,
        "labelLimit": 240,
        "columnPadding": 14,
    },
    "text": {"color": "var(--ink)", "fontSize": MEASURED},
}


def draw(spec: Spec, width: int, name: str) -> str:
    """The SVG of a Vega-Lite ``spec`` that is to be ``width`` pixels wide in all; ``name`` is its own on the page."""
    import vl_convert

    whole = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "width": width,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": 2,
        "config": CONFIG,
        **spec,
    }
    # Nothing but what is in the spec may be read.
    drawn: str = vl_convert.vegalite_to_svg(whole, allowed_base_urls=[])
    return _trimmed(drawn, name)


def _trimmed(svg: str, name: str) -> str:
    """Without what a page does not need; marks get their text as a tooltip."""
    svg = _HIDDEN.sub("", svg)
    svg = _ROLES.sub("", svg)
    svg = _FONT.sub("", _PLAIN.sub("", svg))
    svg = _TIP.sub(r"<\1\3><title>\2</title></\1>", svg)
    svg = _TIP_TEXT.sub("<text", svg)
    svg = _CLIP.sub(rf"\1{name}-\2", svg)
    outside = re.split(r"(<title>.*?</title>|<text.*?</text>)", svg)  # numbers in texts stay as they are
    for place, part in enumerate(outside):
        if part.startswith("<text"):
            tag, bracket, text = part.partition(">")
            outside[place] = _DIGITS.sub(r"\1", tag) + bracket + text
        elif not part.startswith("<title>"):
            outside[place] = _DIGITS.sub(r"\1", part)
    return "".join(outside).replace("<g></g>", "")
