"""The null device instead of a GPU: the same steps, so that none runs on a GPU for the first time."""

from .place import Refused


def open_rehearsal(place, work):
    raise Refused(71, "there is no null device here; a rehearsal needs a checkout's build (--build) with it")
