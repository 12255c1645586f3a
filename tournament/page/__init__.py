"""The balance report as one page of HTML that needs nothing but itself.

``drawing``  charts as SVG, drawn once, when the page is written
``charts``   the kinds of charts, from plain rows
``figures``  the charts of a report, each with its table and what it shows in words
``layout``   headings, lists, tables and figures as HTML, everything escaped
``rerun``    the command that plays a run again
``report``   the page
"""
