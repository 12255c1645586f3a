"""What lies on the table, as a game's players would lay it out: drawn as text by the command line, as cards by pages.

A game may have a module here of its id with ``scene(shown, names)``; one that has none is laid out by its fields.
"""
