"""Tries what ought to be refused, and raises in the end: what it got, or that all was refused."""


class Attack:
    def __init__(self):
        self.got, self.tries = [], 0

    def attempt(self, name, deed, *arguments):
        self.tries += 1
        try:
            deed(*arguments)
        except Exception:
            return
        self.got.append(name)

    def end(self):
        raise RuntimeError("got " + ", ".join(self.got) if self.got else f"all {self.tries} refused")
