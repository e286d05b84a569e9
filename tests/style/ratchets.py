"""Counts that may only fall: a change that lowers one lowers its number here, and none raises it."""

from program import check

MOST = {
    "units above 400 lines": 2,
    "headers with fewer than two readers": 21,
    "headers with fewer than two readers in the product": 87,
    "words of the glossary": 15,
}


def hold(name, found):
    """`found` holds what is counted."""
    count, most = len(found), MOST[name]
    check(count <= most, f"{count} {name}, at most {most} are allowed; they are\n" + "\n".join(found))
    check(count == most, f"only {count} {name} are left: write that instead of {most} into tests/style/ratchets.py")
