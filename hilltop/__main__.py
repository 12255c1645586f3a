"""``python -m hilltop``: the program, for whoever has the package and no script."""

from hilltop.start import run_program

if __name__ == "__main__":
    run_program()
