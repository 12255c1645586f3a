"""The kinds of charts: functions from plain rows and a width to a Vega-Lite spec.

Rows are dictionaries of numbers and texts; each chart says which keys it reads. Series are told apart by colour and by
shape or dashes, never by colour alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from tournament.page.drawing import Spec

Rows = Sequence[dict[str, Any]]

COLOURS = [f"var(--c{number})" for number in range(1, 7)]
SHAPES = ["circle", "square", "diamond", "triangle-up", "triangle-down", "cross"]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [4, 4], [1, 3]]
PERCENT = "format(100 * datum.value, '~g') + ' %'"
STRIP = 54  # pixels of height of a strip of a histogram
LETTER = 7.5  # pixels of width of a usual letter
LINE = 17  # pixels of height of a line of a label
UPRIGHT = 180  # pixels of length of a label above a column that is turned and has several lines


def _axis(width: int, share: bool, **more: Any) -> Spec:
    axis = {"tickCount": max(3, width // 110), **more}
    return {**axis, "labelExpr": PERCENT} if share else axis


def _series(names: Sequence[str], channel: str, values: Sequence[Any]) -> Spec:
    return {channel: {"field": "series", "type": "nominal", "scale": {"domain": list(names), "range": list(values)}}}


def _wrapped(texts: Sequence[Any], room: float) -> dict[str, list[str]]:
    """Each text in lines of about ``room`` pixels, after words, commas and brackets if possible: none is cut, so that
    no two look alike."""
    letters = max(int(room / LETTER), 8)
    found = {}
    for text in map(str, texts):
        lines = [""]
        for word in re.findall(r"[^\s(,]*[\s(,]*", text):
            if lines[-1] and len(lines[-1]) + len(word.rstrip()) > letters:
                lines.append("")
            lines[-1] += word
            while len(lines[-1].rstrip()) > letters + 1:  # a comma or a bracket more fits
                lines[-1:] = [lines[-1][:letters], lines[-1][letters:]]
        found[text] = [line.rstrip() for line in lines]
    return found


def _labels(lines: dict[str, list[str]], room: float) -> Spec:
    """What makes an axis or a legend show its labels in these lines; wide letters may take some pixels more."""
    limit = {"labelLimit": int(1.25 * room)}
    if _most(lines) == 1:
        return limit
    return {**limit, "labelExpr": f"({json.dumps(lines)})[datum.label]"}


def _beside(lines: dict[str, list[str]], room: float) -> Spec:
    """The same for an axis, with the middle of the shortest label where its tick is."""
    fewest = min(map(len, lines.values()), default=1)
    return {**_labels(lines, room), "labelOffset": -LINE / 2 * (fewest - 1)}


def _most(lines: dict[str, list[str]]) -> int:
    return max(map(len, lines.values()), default=1)


def _legend(names: Sequence[str], width: int, **more: Any) -> Spec:
    """In as many columns as there is room for."""
    room = 0.75 * width - 40
    longest = min(max(map(len, names)) * 8, int(room)) + 40
    labels = _labels(_wrapped(names, room), room)
    return {"columns": max(1, min(len(names), width // longest)), **labels, **more}


def _looks(names: Sequence[str], width: int) -> Spec:
    """Colour and shape of each series; a legend if there are several."""
    if len(names) < 2:
        return {"color": {"value": COLOURS[0]}, "shape": {"value": SHAPES[0]}}
    found = _series(names, "color", COLOURS) | _series(names, "shape", SHAPES)
    for one in found.values():
        one["sort"] = None
        one["legend"] = _legend(names, width)
    return found


def dots(
    rows: Rows,
    width: int,
    title: str,
    share: bool,
    names: Sequence[str],
    zones: Rows = (),
    zero: float | None = None,
    looks: Spec | None = None,
) -> Spec:
    """Points with intervals, a line for each ``row``; several ``series`` side by side in it.

    rows   row, series, value, low, high, tip
    zones  row, from, to: a shaded part of the row
    zero   a value that is marked by a line
    """
    order = list(dict.fromkeys(one["row"] for one in rows))
    room = 0.4 * width
    texts = _wrapped(order, room)
    step = max(14 * len(names) + 14, LINE * _most(texts) + 8)
    domain = [
        *(one[key] for one in rows for key in ("value", "low", "high")),
        *(one[key] for one in zones for key in ("from", "to")),
    ]
    known = [value for value in domain if value is not None] + ([] if zero is None else [zero])
    y: Spec = {
        "field": "row",
        "type": "nominal",
        "sort": order,
        "title": None,
        "axis": {**_beside(texts, room), "labelColor": "var(--ink)"},
        "scale": {"paddingInner": 0.15, "paddingOuter": 0.1},
    }
    x: Spec = {
        "type": "quantitative",
        "title": title,
        "axis": _axis(width, share),
        "scale": {"domain": [min(known), max(known)], "nice": True, "zero": False},
    }
    side = {"yOffset": {"field": "series", "sort": list(names)}} if len(names) > 1 else {}
    looks = looks or _looks(names, width)
    layers: list[Spec] = []
    if zones:
        layers.append(
            {
                "data": {"values": list(zones)},
                "mark": {"type": "rect", "color": "var(--zone)"},
                "encoding": {"y": y, "x": {**x, "field": "from"}, "x2": {"field": "to"}},
            }
        )
    if zero is not None:
        rule = {"type": "rule", "color": "var(--soft)", "strokeDash": [3, 3]}
        layers.append({"mark": rule, "encoding": {"x": {**x, "datum": zero}}})
    layers.append(
        {
            "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
            "mark": {"type": "rule", "strokeWidth": 2},
            "encoding": {"y": y, "x": {**x, "field": "low"}, "x2": {"field": "high"}, **side, "color": looks["color"]},
        }
    )
    layers.append(
        {
            "mark": {"type": "point", "filled": True, "opacity": 1, "size": 64, "aria": True},
            "encoding": {"y": y, "x": {**x, "field": "value"}, **side, **looks, "description": {"field": "tip"}},
        }
    )
    return {
        "data": {"values": list(rows)},
        "height": {"step": step} if len(names) < 2 else len(order) * step,
        "layer": layers,
    }


def lines(
    rows: Rows,
    width: int,
    x_title: str,
    share: bool,
    names: Sequence[str],
    zone: tuple[float, float] | None = None,
    zero: float | None = None,
    x_share: bool = False,
    points: bool = True,
    height: int = 260,
) -> Spec:
    """Values against a number, with bands.

    rows  x, series, value, low, high, tip
    zone  a shaded part of all values
    """
    values = [one[key] for one in rows for key in ("value", "low", "high") if one[key] is not None]
    values += list(zone or ()) + ([] if zero is None else [zero])
    xs = sorted({one["x"] for one in rows})
    x_axis = _axis(width, x_share, grid=False)
    if len(xs) <= width // 45 and not x_share:
        x_axis["values"] = xs
    x: Spec = {
        "field": "x",
        "type": "quantitative",
        "title": x_title,
        "axis": x_axis,
        "scale": {"domain": [xs[0], xs[-1]], "nice": False, "zero": False, "padding": 8},
    }
    y: Spec = {
        "type": "quantitative",
        "title": None,  # turned on its side it would be hard to read; the figure's title says it
        "axis": {"tickCount": 5} | ({"labelExpr": PERCENT} if share else {}),
        "scale": {"domain": [min(values), max(values)], "nice": True, "zero": False},
    }
    looks = _looks(names, width)
    band, line, shape = looks["color"], dict(looks["color"]), looks["shape"]
    dashes = _series(names, "strokeDash", DASHES) if len(names) > 1 else {}
    if dashes:
        dashes["strokeDash"] |= {"sort": None, "legend": _legend(names, width)}
    layers: list[Spec] = []
    if zone:
        rect = {"type": "rect", "color": "var(--zone)"}
        layers.append({"mark": rect, "encoding": {"y": {**y, "datum": zone[0]}, "y2": {"datum": zone[1]}}})
    if zero is not None:
        rule = {"type": "rule", "color": "var(--soft)", "strokeDash": [3, 3]}
        layers.append({"mark": rule, "encoding": {"y": {**y, "datum": zero}}})
    layers += [
        {
            "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
            "mark": {"type": "area", "opacity": 0.18},
            "encoding": {"x": x, "y": {**y, "field": "low"}, "y2": {"field": "high"}, "color": band},
        },
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {"x": x, "y": {**y, "field": "value"}, "color": line, **dashes},
        },
    ]
    if points:
        layers.append(
            {
                "mark": {"type": "point", "filled": True, "opacity": 1, "size": 50, "aria": True},
                "encoding": {
                    "x": x,
                    "y": {**y, "field": "value"},
                    "color": line,
                    "shape": shape,
                    "description": {"field": "tip"},
                },
            }
        )
    return {"data": {"values": list(rows)}, "height": height, "layer": layers}


def strips(rows: Rows, width: int, title: str, share: bool, order: Sequence[str], more: str = "") -> Spec:
    """Histograms on one scale, a strip for each ``row``, the highest bar of each as high as its strip.

    rows  row, from, to, part, tip
    more  the label of the last edge if the last bar stands for all that is larger
    """
    texts = _wrapped(order, 0.8 * width)
    strip = STRIP + LINE * (_most(texts) - 1)
    high = {name: max([one["part"] for one in rows if one["row"] == name] or [1.0]) or 1.0 for name in order}
    single = len(order) < 2
    place = {name: len(order) - 1 - number for number, name in enumerate(order)}
    bars = [
        {
            **one,
            "base": place[one["row"]],
            "top": place[one["row"]] + (0.66 * STRIP / strip if not single else 1.0) * one["part"] / high[one["row"]],
        }
        for one in rows
        if one["part"] > 0
    ]
    ends = [min(one["from"] for one in rows), max(one["to"] for one in rows)]
    axis = _axis(width, share, grid=False)
    if not share:
        ends[1] = max(ends[1], ends[0] + 5)  # a single whole number is no scale
        axis["tickMinStep"] = 1
    if more:
        axis["labelExpr"] = f"datum.value >= {ends[1]:g} ? '{more}' : " + axis.get("labelExpr", "datum.label")
    x: Spec = {
        "type": "quantitative",
        "title": title,
        "axis": axis,
        "scale": {"domain": ends, "nice": False, "zero": False},
    }
    y: Spec = {"type": "quantitative", "axis": None, "scale": {"domain": [0, len(order)], "nice": False, "zero": False}}
    layers: list[Spec] = [
        {
            "mark": {"type": "rect", "color": COLOURS[0], "stroke": "var(--paper)", "strokeWidth": 0.6, "aria": True},
            "encoding": {
                "x": {**x, "field": "from"},
                "x2": {"field": "to"},
                "y": {**y, "field": "base"},
                "y2": {"field": "top"},
                "description": {"field": "tip"},
            },
        },
        {
            "data": {"values": [{"base": place[name]} for name in order]},
            "mark": {"type": "rule", "color": "var(--soft)"},
            "encoding": {"y": {**y, "field": "base"}},
        },
    ]
    if not single:
        layers.append(
            {
                "data": {
                    "values": [{"row": texts[name], "base": place[name] + 1.0 - 0.1 * STRIP / strip} for name in order]
                },
                "mark": {"type": "text", "align": "right", "baseline": "top", "limit": width},
                "encoding": {"x": {"value": "width"}, "y": {**y, "field": "base"}, "text": {"field": "row"}},
            }
        )
    return {"data": {"values": bars}, "height": 150 if single else strip * len(order), "layer": layers}


def stacks(rows: Rows, width: int, names: Sequence[str]) -> Spec:
    """Bars cut into parts that add up to 1, with their numbers where there is room.

    rows  row, series, value, tip (parts of a row in the order of ``names``)
    """
    order = list(dict.fromkeys(one["row"] for one in rows))
    side = 0.35 * width
    texts = _wrapped(order, side)
    room = 0.6 * width
    cut: list[dict[str, Any]] = []
    for row in order:
        start = 0.0
        for name in names:
            for one in (one for one in rows if (one["row"], one["series"]) == (row, name)):
                value = one["value"] or 0.0
                share = f"{100 * value:.0f} %"
                fits = (text for text in (f"{name} {share}", share) if value * room > 8 * len(text) + 4)
                ends = {"from": start, "to": start + value, "middle": start + value / 2}
                cut.append({**one, **ends, "text": next(fits, "")})
                start += value
    y: Spec = {
        "field": "row",
        "type": "nominal",
        "sort": order,
        "title": None,
        "axis": {**_beside(texts, side), "labelColor": "var(--ink)"},
    }
    x: Spec = {
        "type": "quantitative",
        "title": None,
        "axis": _axis(width, True, grid=False),
        "scale": {"domain": [0, 1], "nice": False},
    }
    fills = [f"var(--f{number})" for number in range(1, 9)]
    looks = _series(names, "color", fills)
    looks["color"]["legend"] = _legend(names, width, symbolType="square", symbolStrokeColor="var(--soft)")
    looks["color"]["sort"] = None
    return {
        "data": {"values": cut},
        "height": {"step": max(34, LINE * _most(texts) + 8)},
        "layer": [
            {
                "mark": {"type": "bar", "stroke": "var(--paper)", "strokeWidth": 1.5, "aria": True},
                "encoding": {
                    "y": y,
                    "x": {**x, "field": "from"},
                    "x2": {"field": "to"},
                    **looks,
                    "description": {"field": "tip"},
                },
            },
            {"mark": {"type": "text"}, "encoding": {"y": y, "x": {**x, "field": "middle"}, "text": {"field": "text"}}},
        ],
    }


def cells(rows: Rows, width: int, x_title: str, middle: float | None = None, size: int = 30) -> Spec:
    """A table of tinted cells with their numbers.

    rows    column, row, value, text, tip
    middle  values above it get one colour, below it another; without it there is one colour
    """
    columns = list(dict.fromkeys(one["column"] for one in rows))
    order = list(dict.fromkeys(one["row"] for one in rows))
    known = [one["value"] for one in rows if one["value"] is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    if middle is not None:
        reach = max(abs(low - middle), abs(high - middle)) or 1.0
    tinted = []
    for one in rows:
        if one["value"] is None:
            continue
        if middle is None:
            side, strength = "above", (one["value"] - low) / ((high - low) or 1.0)
        else:
            side, strength = ("above" if one["value"] >= middle else "below"), abs(one["value"] - middle) / reach
        tinted.append({**one, "side": side, "strength": 0.06 + 0.44 * strength})
    beside = 0.3 * width
    texts = _wrapped(order, beside)
    label = max((len(line) for lines in texts.values() for line in lines), default=1)
    room = (width - min(7 * label, 1.25 * beside) - 20) / max(len(columns), 1)
    fits = all(room >= 6.5 * len(one["text"]) + 4 for one in rows)
    long = max((len(str(one)) for one in columns), default=1) * 7 > room
    upright = _wrapped(columns, UPRIGHT)
    heads = _beside(upright, UPRIGHT) if long and LINE * _most(upright) <= room else {"labelLimit": 0}
    x: Spec = {
        "field": "column",
        "type": "ordinal",
        "sort": columns,
        "title": x_title,
        "axis": {"orient": "top", "labelAngle": -90 if long else 0, **heads, "labelOverlap": True},
    }
    y: Spec = {
        "field": "row",
        "type": "ordinal",
        "sort": order,
        "title": None,
        "axis": _beside(texts, beside),
    }
    scale = {"domain": ["above", "below"], "range": [COLOURS[0], COLOURS[1]]}
    layers: list[Spec] = [
        {
            "mark": {"type": "rect", "stroke": "var(--paper)", "strokeWidth": 1.5, "aria": True},
            "encoding": {
                "fill": {"field": "side", "type": "nominal", "scale": scale, "legend": None},
                "fillOpacity": {"field": "strength", "type": "quantitative", "scale": None, "legend": None},
            },
        }
    ]
    if any(one["tip"] for one in tinted):
        layers[0]["encoding"]["description"] = {"field": "tip"}
    else:  # thousands of cells: as little as possible for each
        layers[0]["mark"] = {"type": "rect"}
    if fits:
        layers.append({"mark": {"type": "text"}, "encoding": {"text": {"field": "text"}}})
    step = max(12, min(size, 900 // max(len(order), 1)))
    step = step if _most(texts) == 1 else max(step, LINE * _most(texts) + 4)
    return {"data": {"values": tinted}, "height": {"step": step}, "encoding": {"x": x, "y": y}, "layer": layers}
